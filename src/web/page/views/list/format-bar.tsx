import type { FormatChoice } from '../../../page-facts';
import { facts } from '../../api/facts';
import type { Options } from '../../api/options';
import { chooseForAll, costOf } from '../../state/again';
import { trial } from '../../state/credentials';
import { asked, OPTIONS, options } from '../../state/options';
import { costWords } from '../../words/list';

const SEGMENTS: readonly FormatChoice[] = ['same', 'auto', 'jpeg'];
const OTHERS: readonly FormatChoice[] = ['webp', 'avif', 'png'];
const DENSITIES = Object.keys(OPTIONS.density.words).map(Number) as (1 | 2)[];

/** The format and the displays for all results. A click compresses the list again. */
export function FormatBar() {
  const format = options.value.format ?? OPTIONS.format.usual;
  const other = OTHERS.find((name) => name === format);
  return (
    <div class="format-bar row wraps">
      <div class="choices" role="group" aria-label={OPTIONS.format.label}>
        <span class="hint" aria-hidden="true">
          {OPTIONS.format.label}
        </span>
        {SEGMENTS.map((name) => (
          <Choice key={name} name="format" value={name} />
        ))}
        <select
          class={other ? 'chosen' : undefined}
          aria-label="Other formats"
          onChange={({ currentTarget: { value } }) => choose('format', value as FormatChoice)}
        >
          <option value="" disabled hidden selected={!other}>
            Other
          </option>
          {OTHERS.map((name) => (
            <option key={name} value={name} selected={name === format}>
              {OPTIONS.format.words[name]}
            </option>
          ))}
        </select>
      </div>
      {DENSITIES.length > 0 && (
        <div class="choices" role="group" aria-label={OPTIONS.density.label}>
          <span class="hint" aria-hidden="true">
            {OPTIONS.density.label}
          </span>
          {DENSITIES.map((value) => (
            <Choice key={value} name="density" value={value} />
          ))}
        </div>
      )}
      <Cost />
    </div>
  );
}

type Name = 'format' | 'density';

function choose<Of extends Name>(name: Of, value: NonNullable<Options[Of]>): void {
  chooseForAll(asked(name, value));
}

function Choice<Of extends Name>({
  name,
  value,
}: {
  readonly name: Of;
  readonly value: NonNullable<Options[Of]>;
}) {
  const { words, usual } = OPTIONS[name] as { words: Partial<Record<string, string>>; usual: unknown };
  const [text, more] = words[value]?.split(/(?= \()/) ?? [];
  return (
    <button aria-pressed={(options.value[name] ?? usual) === value} onClick={() => choose(name, value)}>
      {text}
      {more && <span class="wide">{more}</span>}
    </button>
  );
}

/** Shows how many images a choice takes. */
function Cost() {
  const choices = [
    ...[...SEGMENTS, ...OTHERS].map((value) => asked('format', value)),
    ...DENSITIES.map((value) => asked('density', value)),
  ];
  const words = costWords(
    'Another choice',
    Math.max(...choices.map(costOf)),
    trial.value?.imagesLeft,
    facts.imagesPerMinute,
  );
  return words ? <p class="hint">{words}</p> : null;
}

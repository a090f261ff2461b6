import { useSignal } from '@preact/signals';
import { facts } from '../../api/facts';
import type { FormatChoice } from '../../../page-facts';
import type { Options } from '../../api/options';
import { compressAgain, outdated } from '../../state/again';
import { markOption, MOST_KB, options, wrongOptions } from '../../state/options';
import { countText } from '../../words/numbers';
import { FORMAT_WORDS, METADATA_WORDS, optionWords, PNG_MODE_WORDS, QUALITY_WORDS } from '../../words/list';
import { NumberField, SelectField } from '../parts/fields';

/** Further options, folded until they are opened. */
export function OptionsPanel() {
  const chosen = options.value;
  const words = optionWords(chosen, DEFAULTS);
  const isChosen = Object.values(chosen).some((value) => value !== undefined);
  const wrong = [...wrongOptions.value];
  // The fields are made anew when their content is to change by itself.
  const edition = useSignal(0);
  const reset = () => {
    options.value = {};
    wrongOptions.value = new Set();
    edition.value++;
  };
  return (
    <details class="options">
      <summary>
        <span class="options-name">Options</span>{' '}
        {wrong.length > 0 ? (
          <span class="wrong">{wrong.join(' and ')}: not valid</span>
        ) : (
          <span>{words}</span>
        )}
      </summary>
      <div class="options-body">
        <Fields key={edition.value} />
        <div class="options-foot">
          <p class="hint">For images that you add from now on. This device remembers your choice.</p>
          <div class="actions">
            {(isChosen || wrong.length > 0) && (
              <button type="button" class="quiet" onClick={reset}>
                Reset
              </button>
            )}
            {wrong.length === 0 && outdated.value.length > 0 && (
              <button type="button" onClick={compressAgain}>
                Compress {countText(outdated.value.length, 'image')} again
              </button>
            )}
          </div>
        </div>
      </div>
    </details>
  );
}

const FORMATS = Object.keys(FORMAT_WORDS) as FormatChoice[];
const PNG_MODES = Object.keys(PNG_MODE_WORDS) as (typeof facts.pngMode)[];

type Quality = NonNullable<Options['quality']>;
const SCORES = new Map(Object.entries(facts.qualities).map(([name, score]) => [score, name as Quality]));

const DEFAULTS = {
  quality: SCORES.get(facts.targetScore),
  maxDimensionPx: facts.maxDimensionPx,
  metadata: facts.keptMetadata,
  format: facts.format,
  pngMode: facts.pngMode,
};

const choose = (changed: Options) => (options.value = { ...options.value, ...changed });

function Fields() {
  return (
    <div class="options-fields">
      <SizeFields />
      <ChoiceFields />
    </div>
  );
}

function SizeFields() {
  const { maxBytes, maxDimensionPx } = options.peek();
  return (
    <>
      <NumberField
        label="File size, at most"
        onValidity={(isWrong) => markOption('File size, at most', isWrong)}
        unit="kB"
        hint="Lowers quality first, then size in pixels."
        least={1}
        most={MOST_KB}
        value={maxBytes === undefined ? undefined : maxBytes / 1000}
        placeholder="any"
        onValue={(kB) => choose({ maxBytes: kB === undefined ? undefined : kB * 1000 })}
      />
      <NumberField
        label="Longer side, at most"
        onValidity={(isWrong) => markOption('Longer side, at most', isWrong)}
        unit="px"
        hint="Larger images are scaled down."
        least={facts.minDimensionPx}
        most={facts.maxDimensionPx}
        value={maxDimensionPx}
        placeholder={String(facts.maxDimensionPx)}
        onValue={(px) => choose({ maxDimensionPx: px })}
      />
    </>
  );
}

function ChoiceFields() {
  const { quality, metadata, format, pngMode } = options.peek();
  return (
    <>
      <SelectField
        label="Quality"
        hint="Lower quality makes smaller files."
        words={QUALITY_WORDS}
        names={Object.keys(facts.qualities) as Quality[]}
        usual={DEFAULTS.quality}
        value={quality}
        onValue={(name) => choose({ quality: name })}
      />
      <SelectField
        label="Metadata to keep"
        hint="For example, where a photo was taken."
        words={METADATA_WORDS}
        names={facts.metadataChoices}
        usual={facts.keptMetadata}
        value={metadata}
        onValue={(name) => choose({ metadata: name })}
      />
      <SelectField
        label="Format"
        hint="At the same quality, AVIF and WebP are often smaller."
        words={FORMAT_WORDS}
        names={FORMATS}
        usual={DEFAULTS.format}
        value={format}
        onValue={(name) => choose({ format: name })}
      />
      <SelectField
        label="What a PNG may lose"
        hint="Masks, maps of heights and the like need every pixel."
        words={PNG_MODE_WORDS}
        names={PNG_MODES}
        usual={DEFAULTS.pngMode}
        value={pngMode}
        onValue={(name) => choose({ pngMode: name })}
      />
    </>
  );
}

import type { Signal } from '@preact/signals';
import { RESULT_FORMATS } from '../../../../contract/formats';
import { imageOfSet, chooseSet, wish } from '../../state/sets';
import { DENSITIES, USUAL_WISH, WIDTH_PRESETS, type SetWish } from '../../words/sets';
import { SelectField, TextField } from '../parts/fields';

/** Sizes, formats, and texts of the markup. */
export function SetFields({ alt }: { readonly alt: Signal<string> }) {
  const { kind, placeholder } = wish.value;
  return (
    <>
      <div class="choices" role="group" aria-label="Sizes">
        {KINDS.map(([name, text]) => (
          <button key={name} aria-pressed={kind === name} onClick={() => chooseSet({ kind: name })}>
            {text}
          </button>
        ))}
      </div>
      {kind === 'widths' ? <Widths /> : <Densities />}
      <Formats />
      <div class="set-texts">
        <TextField
          label="Text instead of the image (alt)"
          hint="For people who do not see it."
          value={alt.value}
          onValue={(text) => (alt.value = text)}
        />
        <SelectField
          row={PLACEHOLDER}
          value={placeholder}
          onValue={(value) => chooseSet({ placeholder: value ?? USUAL_WISH.placeholder })}
        />
      </div>
    </>
  );
}

const KINDS = [
  ['widths', 'Several widths'],
  ['densities', 'One width, several displays'],
] as const;

const PLACEHOLDER = {
  label: 'Until it has loaded',
  hint: 'Shown in place of the image.',
  words: { none: 'Nothing', colour: 'Its mean colour', blur: 'A tiny preview' },
  usual: USUAL_WISH.placeholder,
};

function Widths() {
  const { widths } = wish.value;
  return (
    <div class="set-sizes stack">
      <TextField
        label="Widths of the files, in pixels"
        hint="For an image that fills a part of the window. Separate them with commas."
        value={widths}
        isNumeric
        onValue={(text) => chooseSet({ widths: text })}
      />
      <div class="actions" role="group" aria-label="Usual widths">
        {Object.entries(WIDTH_PRESETS).map(([name, text]) => (
          <button key={name} aria-pressed={widths === text} onClick={() => chooseSet({ widths: text })}>
            {name}
          </button>
        ))}
      </div>
    </div>
  );
}

function Densities() {
  const { width, densities } = wish.value;
  return (
    <div class="set-sizes stack">
      <TextField
        label="Width in the page, in CSS pixels"
        hint="For an image that always has this width. Each file is judged as its display shows it."
        value={width}
        isNumeric
        onValue={(text) => chooseSet({ width: text })}
      />
      <Checks
        legend="Displays"
        choices={DENSITIES.map((density) => [density, `${density}×`])}
        chosen={densities}
        onChosen={(chosen) => chooseSet({ densities: chosen })}
      />
    </div>
  );
}

function Formats() {
  const own = imageOfSet.value?.format;
  const others = (['avif', 'webp', 'jpeg'] as const).filter((name) => RESULT_FORMATS[name] !== own);
  const choices: [SetWish['formats'][number], string][] = [
    ...others.map((name): [typeof name, string] => [name, RESULT_FORMATS[name].label]),
    ['same', own ? `${own.label}, as uploaded` : 'As uploaded'],
  ];
  return (
    <Checks
      legend="Formats"
      choices={choices}
      chosen={wish.value.formats}
      onChosen={(formats) => chooseSet({ formats })}
    />
  );
}

interface ChecksProps<Value> {
  readonly legend: string;
  readonly choices: readonly (readonly [value: Value, label: string])[];
  readonly chosen: readonly Value[];
  /** The chosen values, in the order of the choices. */
  readonly onChosen: (chosen: Value[]) => void;
}

function Checks<Value extends string | number>({ legend, choices, chosen, onChosen }: ChecksProps<Value>) {
  const values = choices.map(([value]) => value);
  const toggle = (value: Value, isOn: boolean) =>
    onChosen(values.filter((one) => (one === value ? isOn : chosen.includes(one))));
  return (
    <fieldset class="set-checks row wraps">
      <legend class="less">{legend}</legend>
      {choices.map(([value, label]) => (
        <label class="check row less" key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget }) => toggle(value, currentTarget.checked)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

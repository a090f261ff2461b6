import { signal, useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { Options } from '../../api/options';
import { byNewOptions, choose, chooseAll } from '../../state/choices';
import { isLossless, OPTIONS, options } from '../../state/options';
import { countText } from '../../words/numbers';
import type { ChoiceRow } from '../../words/option-table';
import { focusFirst, thenFocusList } from '../parts/focus';

const isOpen = signal(false);
const MORE = 'more-options';

export function ChoiceBar() {
  const more = useId();
  const hidden = (['maxBytes', 'maxDimension', 'metadata'] as const).filter(
    (name) => options.value[name] !== undefined,
  );
  const reset = () => {
    chooseAll({});
    focusFirst(MORE);
  };
  return (
    <section class="choice-bar card stack less" aria-label="Options">
      <div class="row wraps">
        <SelectField name="format" />
        {!isLossless.value && <Densities />}
        <SelectField name="quality" />
        <button
          id={MORE}
          class={hidden.length > 0 ? 'more chosen' : 'more'}
          aria-expanded={isOpen.value}
          aria-controls={isOpen.value ? more : undefined}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {hidden.length > 0 ? `More (${hidden.length})` : 'More'}
        </button>
      </div>
      {isOpen.value && (
        <div class="more-choices" id={more}>
          {!isLossless.value && <NumberField name="maxBytes" />}
          <NumberField name="maxDimension" />
          <SelectField name="metadata" />
          {Object.values(options.value).some((value) => value !== undefined) && (
            <button class="quiet" onClick={reset}>
              Reset all options
            </button>
          )}
        </div>
      )}
      <Apply />
    </section>
  );
}

function SelectField({ name }: { readonly name: 'format' | 'quality' | 'metadata' }) {
  const { label, words, defaultValue } = OPTIONS[name] as ChoiceRow<string>;
  const chosen = options.value[name];
  return (
    <label class="field">
      {label}
      <select
        class={chosen === undefined ? undefined : 'chosen'}
        onChange={({ currentTarget: { value } }) =>
          choose(name, (value || undefined) as Options[typeof name])
        }
      >
        {defaultValue === undefined && <option value="">Default</option>}
        {Object.entries(words).map(([value, text]) => (
          <option key={value} value={value} selected={value === (chosen ?? defaultValue)}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Densities() {
  const id = useId();
  const { label, words, defaultValue } = OPTIONS.density;
  const chosen = options.value.density ?? defaultValue;
  return (
    <div class="field densities" role="group" aria-labelledby={`${id}-label`} aria-describedby={id}>
      <span id={`${id}-label`}>{label}</span>
      <span class="choices">
        {([1, 2, 3] as const).map((density) => (
          <button key={density} aria-pressed={density === chosen} onClick={() => choose('density', density)}>
            {words[density]}
          </button>
        ))}
      </span>
      <span id={id} class="hint">
        The image keeps its pixels. If it is shown smaller, it is compressed more; zoom and print show the
        loss.
      </span>
    </div>
  );
}

/** An integer, or none. It counts when it is complete: "1000" begins with "1" and "100". */
function NumberField({ name }: { readonly name: 'maxBytes' | 'maxDimension' }) {
  const { label, hint, unit, unitValue, least, most, defaultValue = 'any' } = OPTIONS[name];
  const value = options.value[name];
  const input = useRef<HTMLInputElement>(null);
  const isWrong = useSignal(false);
  const id = useId();
  // Before the first key press, which it would undo.
  useLayoutEffect(() => {
    if (input.current) input.current.value = value === undefined ? '' : String(value / unitValue);
    isWrong.value = false;
  }, [value]);
  const take = ({ validity, valueAsNumber }: HTMLInputElement) => {
    isWrong.value = !validity.valid;
    if (validity.valid) choose(name, Number.isNaN(valueAsNumber) ? undefined : valueAsNumber * unitValue);
  };
  return (
    <div>
      <label class="field">
        {label} ({unit})
        <input
          ref={input}
          type="number"
          inputMode="numeric"
          min={least}
          max={most}
          step={1}
          placeholder={String(defaultValue)}
          aria-describedby={id}
          aria-invalid={isWrong.value}
          onChange={(event) => take(event.currentTarget)}
        />
      </label>
      <span id={id} class={isWrong.value ? 'hint wrong' : 'hint'}>
        {isWrong.value ? `Not used: enter an integer from ${least} to ${most}.` : hint}
      </span>
    </div>
  );
}

function Apply() {
  const count = byNewOptions.images.value.length;
  if (count === 0) return null;
  return (
    <div class="apply row wraps">
      <button onClick={thenFocusList(byNewOptions.make)}>Apply to {countText(count, 'image')}</button>
      <span class="hint">
        {byNewOptions.scarcity.value ?? 'So far, these options are for new images only.'}
      </span>
    </div>
  );
}

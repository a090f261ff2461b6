import { useSignal } from '@preact/signals';
import type { Options } from '../../api/options';
import { compressAgain, outdated } from '../../state/again';
import { markOption, OPTIONS, options, wrongOptions } from '../../state/options';
import { countText } from '../../words/numbers';
import { optionWords } from '../../words/option-table';
import { NumberField, SelectField } from '../parts/fields';

/** Further options, folded until they are opened. */
export function OptionsPanel() {
  const isChosen = Object.values(options.value).some((value) => value !== undefined);
  const wrong = [...wrongOptions.value];
  // The fields are made anew when their content is to change by itself.
  const edition = useSignal(0);
  const reset = () => {
    options.value = {};
    wrongOptions.value = new Set();
    edition.value++;
  };
  return (
    <details class="options card">
      <summary class="hint">
        <span class="options-name">Options</span>{' '}
        {wrong.length > 0 ? (
          <span class="wrong">{wrong.join(' and ')}: not valid</span>
        ) : (
          <span>{optionWords(options.value, OPTIONS)}</span>
        )}
      </summary>
      <div class="options-body stack">
        <div class="options-fields" key={edition.value}>
          <SizeField name="maxBytes" />
          <SizeField name="maxDimension" />
          <ChoiceField name="quality" />
          <ChoiceField name="metadata" />
          <ChoiceField name="pngMode" />
        </div>
        <div class="row wraps between">
          <p class="hint">For images that you add from now on. This device remembers your choice.</p>
          <div class="actions">
            {(isChosen || wrong.length > 0) && (
              <button class="quiet" onClick={reset}>
                Reset
              </button>
            )}
            {wrong.length === 0 && outdated.value.length > 0 && (
              <button onClick={compressAgain}>
                Compress {countText(outdated.value.length, 'image')} again
              </button>
            )}
          </div>
        </div>
      </div>
    </details>
  );
}

const choose = (changed: Options) => (options.value = { ...options.value, ...changed });

function SizeField({ name }: { readonly name: 'maxBytes' | 'maxDimension' }) {
  return (
    <NumberField
      row={OPTIONS[name]}
      value={options.peek()[name]}
      onValue={(value) => choose({ [name]: value })}
      onValidity={(isWrong) => markOption(OPTIONS[name].label, isWrong)}
    />
  );
}

function ChoiceField({ name }: { readonly name: 'quality' | 'metadata' | 'pngMode' }) {
  return (
    <SelectField<string>
      row={OPTIONS[name]}
      value={options.peek()[name]}
      onValue={(value) => choose({ [name]: value })}
    />
  );
}

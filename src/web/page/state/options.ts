import { computed, effect, signal } from '@preact/signals';
import { facts } from '../api/facts';
import { withoutConflicts, type Options } from '../api/options';
import { SHOWN_FORMATS } from '../api/shown-formats';
import { isOffered, optionTable } from '../words/option-table';
import { readObject, writeItem } from './device';

const ITEM = 'image-compression-options';

export const OPTIONS = optionTable(
  facts,
  SHOWN_FORMATS.map(({ label }) => label),
);

export const options = signal<Options>(readRemembered());
export const isLossless = computed(
  () => (options.value.quality ?? OPTIONS.quality.defaultValue) === 'lossless',
);

export function rememberOptions() {
  effect(() => {
    const text = JSON.stringify(options.value);
    writeItem(localStorage, ITEM, text === '{}' ? undefined : text);
  });
}

function readRemembered() {
  const kept = Object.entries(readObject<Options>(localStorage, ITEM) ?? {}).filter(
    ([name, value]) => Object.hasOwn(OPTIONS, name) && isOffered(OPTIONS[name as keyof Options], value),
  );
  return withoutConflicts(Object.fromEntries(kept), OPTIONS.quality.defaultValue);
}

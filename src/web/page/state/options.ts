import { effect, signal } from '@preact/signals';
import { facts } from '../api/facts';
import type { Options } from '../api/options';
import { isOffered, optionTable } from '../words/option-table';
import { readObject, writeItem } from './device';

const ITEM = 'image-compression-options';

export const OPTIONS = optionTable(facts);

export const options = signal<Options>(readRemembered());

export function rememberOptions(): void {
  effect(() => {
    const text = JSON.stringify(options.value);
    writeItem(localStorage, ITEM, text === '{}' ? undefined : text);
  });
}

function readRemembered(): Options {
  const kept = Object.entries(readObject<Options>(localStorage, ITEM) ?? {});
  return Object.fromEntries(
    kept.filter(
      ([name, value]) => Object.hasOwn(OPTIONS, name) && isOffered(OPTIONS[name as keyof Options], value),
    ),
  );
}

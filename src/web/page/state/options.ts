/** The options for the images of the list. The device remembers them. */
import { effect, signal } from '@preact/signals';
import { facts } from '../api/facts';
import type { Options } from '../api/options';
import { isOffered, optionTable } from '../words/option-table';
import { readObject, writeItem } from './device';

const ITEM = 'image-compression-options';

export const OPTIONS = optionTable(facts);

export const options = signal<Options>(remembered());

/** Returns an option as it is asked for: the usual value is not sent. */
export function asked<Name extends 'format' | 'density'>(name: Name, value: Options[Name]): Options {
  return { [name]: value === OPTIONS[name].usual ? undefined : value };
}

/** Labels of the fields with invalid values. Images added meanwhile wait. */
export const wrongOptions = signal<ReadonlySet<string>>(new Set());

export function markOption(label: string, isWrong: boolean): void {
  if (wrongOptions.value.has(label) === isWrong) return;
  const others = [...wrongOptions.value].filter((name) => name !== label);
  wrongOptions.value = new Set(isWrong ? [...others, label] : others);
}

export function followOptions(): void {
  effect(() => {
    const text = JSON.stringify(options.value);
    writeItem(localStorage, ITEM, text === '{}' ? undefined : text);
  });
}

/** Returns the remembered options that this deployment still supports. */
function remembered(): Options {
  const kept = Object.entries(readObject<Options>(localStorage, ITEM) ?? {});
  return Object.fromEntries(
    kept.filter(
      ([name, value]) => Object.hasOwn(OPTIONS, name) && isOffered(OPTIONS[name as keyof Options], value),
    ),
  );
}

/** The options for newly added images. The device remembers them. */
import { effect, signal } from '@preact/signals';
import { facts } from '../api/facts';
import type { Options } from '../api/options';
import { FORMAT_WORDS, PNG_MODE_WORDS } from '../words/list';
import { readObject, writeItem } from './device';

const ITEM = 'image-compression-options';

/** Largest file size that can be requested, in kB as typed: no upload is larger. */
export const MOST_KB = Math.floor(facts.maxUploadBytes / 1000);

export const options = signal<Options>(remembered());

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
  const kept = readObject<Options>(localStorage, ITEM) ?? {};
  const { maxBytes, quality, maxDimensionPx, metadata, format, pngMode } = kept;
  return {
    ...(isWithin(maxBytes, 1, MOST_KB * 1000) ? { maxBytes } : {}),
    ...(quality !== undefined && Object.hasOwn(facts.qualities, quality) ? { quality } : {}),
    ...(isWithin(maxDimensionPx, facts.minDimensionPx, facts.maxDimensionPx) ? { maxDimensionPx } : {}),
    ...(metadata !== undefined && facts.metadataChoices.includes(metadata) ? { metadata } : {}),
    ...(format !== undefined && Object.hasOwn(FORMAT_WORDS, format) ? { format } : {}),
    ...(pngMode !== undefined && Object.hasOwn(PNG_MODE_WORDS, pngMode) ? { pngMode } : {}),
  };
}

function isWithin(value: number | undefined, least: number, most: number): boolean {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

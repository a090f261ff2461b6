/** The header `Accept`, from which `format=auto` takes the formats that a client reads. */
import assert from 'node:assert/strict';
import express from 'express';
import { load, unlessRefused } from '../target-tools.mjs';

const { OptionsReader } = load('compression/http/compress-options.js');
const { readSettings } = load('settings/settings.js');

const { compression } = readSettings({});
const reader = new OptionsReader(compression);

export const seeds = () =>
  [
    'image/avif,image/webp,image/apng,*/*;q=0.8',
    'image/avif;q=0, image/*',
    'IMAGE/WEBP ; q = 0.5',
    '',
    '*/*',
  ].map((text) => Buffer.from(text));
export const words = [
  'image/avif',
  'image/webp',
  'image/png',
  ';q=0',
  ';q=1.000',
  '*/*',
  'image/*',
  ',',
  '"',
];

export function fuzz(data) {
  const accept = data.toString('latin1');
  const types = Object.create(express.request, { headers: { value: { accept } } }).accepts();
  const requested = unlessRefused(() => reader.policyFrom({ format: 'auto' }, types));
  assert(requested?.isNegotiated);
  const { formats } = requested.policy;
  assert.equal(formats[0], 'same');
  assert.equal(new Set(formats).size, formats.length);
  for (const name of formats.slice(1)) {
    assert(compression.resultFormats.names.includes(name));
    // Formats are named, never meant by a wildcard.
    assert(accept.toLowerCase().includes(`image/${name}`));
  }
}

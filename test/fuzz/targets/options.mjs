import assert from 'node:assert/strict';
import { parse } from 'node:querystring';
import { load, unlessRefused } from '../target-tools.mjs';

const { OptionsReader } = load('compression/http/compress-options.js');
const { policyWith } = load('tinify/http/commands.js');
const { readSettings } = load('settings/settings.js');

const { compression } = readSettings({});
const reader = new OptionsReader(compression);

export const seeds = () =>
  [
    'quality=high&effort=fast&metadata=all&format=avif,webp',
    'max_dimension=800&max_bytes=200kB&allow=any&density=2&quality=lossless',
    '{"resize":{"method":"cover","width":20,"height":30},"preserve":["copyright","location"]}',
    '{"convert":{"type":["image/webp","image/avif"]},"transform":{"background":"#ffcc00"}}',
  ].map((text) => Buffer.from(text));
export const words =
  'max_bytes=1.5MB format=auto quality=very-high "type":"*/*" "method":"scale" density=2 __proto__'.split(
    ' ',
  );

export function fuzz(data) {
  const text = data.toString();
  const requested = unlessRefused(() => reader.policyFrom(parse(text)));
  if (requested) check(requested.policy);
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return;
  }
  for (const format of ['jpeg', 'png']) {
    const policy = unlessRefused(() => policyWith(body, compression, format));
    if (policy) check(policy);
  }
}

function check({ targetScore, maxDimensionPx, formats = [], byteLimit, background = [], box = {} }) {
  assert(targetScore >= 0.9 && targetScore < 1);
  assert(
    Number.isInteger(maxDimensionPx) &&
      maxDimensionPx >= 16 &&
      maxDimensionPx <= compression.policy.maxDimensionPx,
  );
  assert(formats.every((name) => name === 'same' || compression.knownFormats.names.includes(name)));
  assert(!byteLimit || (Number.isSafeInteger(byteLimit.maxBytes) && byteLimit.maxBytes > 0));
  assert(background.every((value) => Number.isInteger(value) && value >= 0 && value <= 255));
  for (const side of [box.maxWidth ?? 1, box.maxHeight ?? 1]) assert(Number.isInteger(side) && side > 0);
}

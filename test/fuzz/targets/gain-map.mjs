import assert from 'node:assert/strict';
import { load, unlessRefused } from '../target-tools.mjs';

const { gainMapDirectory, isGainMap, lacksAppleHeadroom, withGainMap, withoutPrivateSegments } = load(
  'compression/formats/jpeg/gain-map.js',
);
const { readJpegStructure } = load('compression/formats/jpeg/jpeg-structure.js');

/** A frame of 7 × 9 grey pixels and an empty scan. */
const MAIN = Buffer.from('ffd8ffc0000b080009000701011100ffda0008010100003f00ffd9', 'hex');

export const seeds = (images) =>
  ['jpeg Ultra HDR', 'jpeg ISO gain map'].map((name) => readJpegStructure(images[name]).trailing.gainMap);
export const words =
  'hdrgm:Version="1.0" urn:com:apple:photo:2020:aux:hdrgainmap HDRGainMapHeadroom MPF\0MM\0* Exif\0\0'.split(
    ' ',
  );

export function fuzz(data) {
  if (!unlessRefused(() => isGainMap(data))) return;
  const structure = unlessRefused(() => readJpegStructure(data));
  lacksAppleHeadroom(data);
  const map = withoutPrivateSegments(data);
  assert(isGainMap(map), 'Without private segments it is no gain map.');
  gainMapDirectory(map);
  const written = withGainMap(MAIN, [], map);
  // Only a whole image is found behind another one.
  if (!structure || structure.end < data.length || structure.isEndMissing || !isStart(data)) return;
  const { trailing } = readJpegStructure(written);
  if (data.subarray(-2).equals(Buffer.of(0xff, 0xd9)))
    assert.deepEqual(Buffer.from(trailing.gainMap ?? ''), Buffer.from(map));
}

const isStart = (data) => data.subarray(0, 3).equals(Buffer.of(0xff, 0xd8, 0xff));

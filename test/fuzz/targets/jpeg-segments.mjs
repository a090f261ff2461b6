import assert from 'node:assert/strict';
import { load, MAX_PIXELS, unlessRefused } from '../target-tools.mjs';

const { readAcceptedHeader, readSource } = load('compression/formats/image-header.js');
const { isMetadata, readJpegFile } = load('compression/formats/jpeg/jpeg-segments.js');
const { withoutLateMetadata, withoutSegments } = load('compression/formats/jpeg/segment-writer.js');
const { withoutPadding } = load('compression/formats/jpeg/end-marker.js');
const { readJpegStructure, unusualFeatures } = load('compression/formats/jpeg/jpeg-structure.js');

export const seeds = (images) =>
  Object.entries(images).flatMap(([name, file]) => (/^jpeg/.test(name) ? [file] : []));
export const words =
  'Exif\0\0 ICC_PROFILE\0\x01\x01 MPF\0MM\0* Adobe\0d JFIF\0 \xff\xd8\xff \xff\xd9 ftyp'.split(' ');

export function fuzz(data) {
  const declared = unlessRefused(() => readAcceptedHeader(data, MAX_PIXELS));
  const source = unlessRefused(() => readSource(data, MAX_PIXELS));
  if (source?.format !== 'jpeg') return;
  const { structure } = source;
  assert.deepEqual(declared?.dimensions, structure.storedSize);
  assert.equal(declared.heldBytes, source.heldBytes);
  assert(structure.end <= data.length);
  assert(structure.scans <= data.length / 2);
  assert((structure.iccProfile?.length ?? 0) <= data.length);
  unusualFeatures(data);
  withoutPadding(data);
  const image = data.subarray(0, structure.end);
  const bare = withoutSegments(withoutLateMetadata(image), ({ marker }) => isMetadata(marker));
  assert(!readJpegFile(bare).hasLateMetadata);
  const again = readJpegStructure(bare);
  assert.deepEqual(again.storedSize, structure.storedSize);
  assert.deepEqual(again.metadata, []);
  assert.equal(again.scans, structure.scans);
}

import assert from 'node:assert/strict';
import { load, unlessRefused } from '../target-tools.mjs';
import { withChecksums } from './png-chunks.mjs';

const { readJpegHead } = load('compression/formats/jpeg/jpeg-segments.js');
const { withSegments } = load('compression/formats/jpeg/segment-writer.js');
const { isResultMarker, readResultMarker, resultMarker } = load('compression/formats/jpeg/result-marker.js');
const { pngResultMarker, readPngResultMarker } = load('compression/formats/png/png-result-marker.js');
const { readChunks } = load('compression/formats/png/png-chunks.js');
const { readPngStructure } = load('compression/formats/png/png-structure.js');
const { withChunks } = load('compression/formats/png/png-metadata.js');

const POLICY = { targetScore: 0.9914, density: 2 };
const MADE = { targetScore: 0.99, density: 1.5 };

export const seeds = (images) => {
  const [jpeg, png] = [images['jpeg grey'], images['png of two colours']];
  return [
    ...[jpeg, withSegments(jpeg, [resultMarker(jpeg, MADE)])],
    ...[png, withChunks(png, [pngResultMarker(png, POLICY)])],
  ];
};
export const words = ['ICS1 0.9914 ', '\xff\xfe\0\x1a', 'icRS'];

export function fuzz(data) {
  if (data[0] === 0xff) markJpeg(data);
  else markPng(withChecksums(data));
}

function markJpeg(file) {
  const head = unlessRefused(() => readJpegHead(file));
  if (!head) return;
  const made = readResultMarker(file, head.segments);
  assert(made === undefined || (made.targetScore >= 0 && made.targetScore <= 1 && made.density >= 1));
  // A segment that reaches beyond the file has no end to put a marker behind.
  if (head.segments.some((segment) => isResultMarker(segment) || segment.end > file.length)) return;
  const marked = withSegments(file, [resultMarker(file, MADE)]);
  const found = unlessRefused(() => readJpegHead(marked));
  if (found && file[1] === 0xd8) assert.deepEqual(readResultMarker(marked, found.segments), MADE);
}

function markPng(file) {
  const structure = unlessRefused(() => readPngStructure(file));
  if (!structure) return;
  readPngResultMarker(structure.chunks);
  if (structure.chunks.some(({ type }) => type === 'icRS')) return;
  const marked = withChunks(file, [pngResultMarker(file, POLICY)]);
  assert.deepEqual(readPngResultMarker(readChunks(marked)), POLICY);
}

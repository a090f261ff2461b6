/** PNGs of this service are returned unchanged, regardless of how they were made; all others are compressed. */
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { pngChunk, readChunks } from '../../../../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../../../../src/compression/formats/png/png-metadata';
import { readPngResultMarker } from '../../../../../src/compression/formats/png/png-result-marker';
import { compress, expectUnchanged } from '../../../../support/compressing';
import { graphicPng, rawImage, samplesOf } from '../../../../support/images';

/** A gradient with grain: near-lossless by default. */
function grainy() {
  const image = new PNG({ width: 300, height: 200 });
  image.data.forEach((_, i) => {
    const grain = (Math.imul(i, 0x9e3779b1) >>> 13) & 15;
    image.data[i] = i % 4 === 3 ? 255 : Math.min(255, (i >> 12) * 4 + grain);
  });
  return PNG.sync.write(image);
}

it.each([
  ['few colours', graphicPng(64, 64), {}],
  ['near-lossless', grainy(), {}],
  ['lossless', grainy(), { targetScore: 1 }],
  ['scaled', graphicPng(300, 200), { maxDimensionPx: 100 }],
  ['a target of more digits than its marker', grainy(), { targetScore: 0.99145678 }],
] as const)('a result is returned byte for byte: %s', async (_, source, changes) => {
  const { bytes, report } = await compress(source, changes);
  expect(report.skipReason).toBeUndefined();
  expect((await expectUnchanged(bytes, changes)).encodes).toBe(0);
});

it('a result made to fit a byte limit is returned byte for byte', async () => {
  const usual = await compress(grainy());
  const maxBytes = Math.floor(usual.bytes.length * 0.8);
  const { bytes, report } = await compress(grainy(), { byteLimit: { maxBytes, allowsAny: true } });
  expect(report).toMatchObject({ budget: 'met', dimensions: { width: 300, height: 200 } });
  expect((await expectUnchanged(bytes)).encodes).toBe(0);
});

it('is recognised after metadata changes, but not after the pixels are encoded again', async () => {
  const { bytes } = await compress(graphicPng(64, 64));
  const described = withChunks(bytes, [pngChunk('tEXt', Buffer.from('Comment\0hello'))]);
  expect(readPngResultMarker(readChunks(described))).toEqual({
    targetScore: 0.9914,
    density: 1,
  });
  const pixels = await samplesOf(sharp(bytes));
  pixels.data[0] ^= 1;
  const edited = await rawImage(pixels).png().toBuffer();
  const marker = readChunks(bytes).filter(({ type }) => type === 'icRS');
  expect(marker).toHaveLength(1);
  expect(readPngResultMarker(readChunks(withChunks(edited, marker)))).toBeUndefined();
});

it('counts as lossless if an earlier release made it under a mode with fewer losses', async () => {
  const chunks = readChunks((await compress(graphicPng(64, 64))).bytes);
  const earlier = chunks.map((chunk) => {
    if (chunk.type !== 'icRS') return chunk;
    return pngChunk('icRS', Buffer.of(2, ...chunk.data.subarray(1)));
  });
  expect(readPngResultMarker(earlier)?.targetScore).toBe(1);
});

it('is a single marker, however often a file is compressed', async () => {
  const { bytes } = await compress(grainy(), { targetScore: 1 });
  const again = await compress(bytes, { keepMetadata: 'all' });
  expect(again.report.skipReason).toBeUndefined();
  expect(readChunks(again.bytes).filter(({ type }) => type === 'icRS')).toHaveLength(1);
});

it.each([
  [{ targetScore: 0.983 }, {}, 'already-optimised'],
  [{}, { targetScore: 0.983 }, undefined],
  [{}, { targetScore: 1 }, 'already-optimised'],
  [{ targetScore: 1 }, {}, undefined],
] as const)('made for %j, then asked for %j: %s', async (first, second, expected) => {
  const { bytes } = await compress(grainy(), first);
  const { report } = await compress(bytes, second);
  // A result made for less loss may become smaller; if not, it has been tried.
  if (expected) expect(report).toMatchObject({ skipReason: expected, encodes: 0 });
  else expect(report.encodes).toBeGreaterThan(0);
});

it.each([
  ['too short', Buffer.alloc(4)],
  ['a first byte of its own', Buffer.alloc(9, 0xff)],
  ['a foreign checksum', Buffer.alloc(9)],
])('an invalid marker is ignored: %s', (_, data) => {
  const png = withChunks(graphicPng(8, 8), [pngChunk('icRS', data)]);
  expect(readPngResultMarker(readChunks(png))).toBeUndefined();
});

/** Animated PNGs are returned unchanged at any size, because a still image would lose frames. */
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { readPngStructure } from '../../src/compression/formats/png/png-structure';
import { graphicPng } from '../support/images';
import { withEveryEngine } from './engines';

/** Two equal frames. */
function animation(): Buffer {
  const still = graphicPng(120, 90);
  const [header, ...rest] = readPngStructure(still).chunks;
  const data = rest.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data);
  const control = (sequence: number) => {
    const frame = Buffer.alloc(26);
    [sequence, 120, 90].forEach((value, i) => frame.writeUInt32BE(value, i * 4));
    frame.writeUInt16BE(1, 20);
    frame.writeUInt16BE(10, 22);
    return pngChunk('fcTL', frame).raw;
  };
  return Buffer.concat([
    still.subarray(0, 8),
    header.raw,
    pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])).raw,
    control(0),
    pngChunk('IDAT', Buffer.concat(data)).raw,
    control(1),
    pngChunk('fdAT', Buffer.concat([Buffer.from([0, 0, 0, 2]), ...data])).raw,
    pngChunk('IEND', Buffer.alloc(0)).raw,
  ]);
}

withEveryEngine((compress) => {
  it.each([
    ['at its size', '3840'],
    ['over the largest size', '60'],
  ])('%s', async (_, maxDimension) => {
    const source = animation();
    const { bytes, report } = await compress(source, { MAX_DIMENSION_PX: maxDimension });
    expect(report.skipReason).toBe('animated');
    expect(Buffer.from(bytes).equals(source)).toBe(true);
    expect(report.dimensions).toEqual({ width: 120, height: 90 });
  });

  it('a still image is not treated as an animation', async () => {
    expect((await compress(graphicPng(120, 90))).report.skipReason).toBeUndefined();
  });
});

/** Android nine-patches keep their frame, pixel for pixel, or the chunks that Android's build has made of it. */
import { PNG } from 'pngjs';
import { readChunks } from '../../src/compression/formats/png/png-chunks';
import { decodeIndependently } from '../support/images';
import { compiledNinePatch, COMPILED_CHUNKS, darkPicture, ninePatch, shadow } from '../support/nine-patches';
import { expectUnchanged, withEveryEngine } from './engines';

/** Red, green, blue and alpha of every pixel of the frame; only the alpha of clear ones. */
function frameOf(source: Uint8Array) {
  const { width, height, data } = decodeIndependently(source);
  const frame: number[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (x > 0 && y > 0 && x < width - 1 && y < height - 1) continue;
      const at = (y * width + x) * 4;
      frame.push(...(data[at + 3] === 0 ? [0, 0, 0, 0] : data.subarray(at, at + 4)));
    }
  }
  return frame;
}

const partsOf = (png: Uint8Array) =>
  readChunks(png)
    .filter(({ type }) => type.startsWith('np'))
    .map(({ type, data }) => [type, Buffer.from(data).toString('hex')]);

withEveryEngine((compress) => {
  it.each<[string, Buffer, Record<string, string>]>([
    ['a shadow', ninePatch(120, 80, shadow), {}],
    ['a dark picture', ninePatch(120, 80, darkPicture), {}],
    ['a dark picture with FORMAT=auto', ninePatch(120, 80, darkPicture), { FORMAT: 'auto' }],
  ])('%s keeps its frame', async (_, source, settings) => {
    const { bytes, report } = await compress(source, settings);
    expect(report).toMatchObject({ format: 'png', dimensions: { width: 120, height: 80 } });
    expect(bytes.length).toBeLessThan(source.length);
    expect(frameOf(bytes)).toEqual(frameOf(source));
    await expectUnchanged(compress, bytes, settings);
  });

  it.each(['none', 'copyright', 'all'])(
    'a compiled one keeps its chunks with KEEP_METADATA=%s',
    async (keep) => {
      const source = compiledNinePatch(120, 80, shadow);
      const { bytes, report } = await compress(source, { KEEP_METADATA: keep });
      expect(report.compressedSize).toBeLessThan(report.originalSize);
      expect(partsOf(bytes)).toEqual(
        COMPILED_CHUNKS.map(({ type, data }) => [type, Buffer.from(data).toString('hex')]),
      );
      expect(PNG.sync.read(bytes)).toMatchObject({ width: 120, height: 80 });
    },
  );

  it('those above MAX_DIMENSION_PX are scaled, and what Android would misread goes', async () => {
    const limit = { MAX_DIMENSION_PX: '60' };
    const size = { width: 60, height: 40 };
    const framed = await compress(ninePatch(120, 80, shadow), limit);
    const compiled = await compress(compiledNinePatch(120, 80, shadow), { ...limit, KEEP_METADATA: 'all' });
    expect([framed.report.dimensions, compiled.report.dimensions]).toEqual([size, size]);
    expect(partsOf(compiled.bytes)).toEqual([]);
  });
});

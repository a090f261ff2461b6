/** Animated PNGs become smaller without loss: every frame is decoded with pngjs before and after, and its control fields compared. */
import { deflateSync } from 'node:zlib';
import { shortField, writeTiff } from '../../src/compression/formats/tiff';
import { readPngStructure } from '../../src/compression/formats/png/png-structure';
import { uint32s } from '../../src/compression/formats/bytes';
import { TAG } from '../../src/compression/formats/exif';
import { animationOf, chunkOf, decodedFrames, fileOf, FOUR_FRAMES } from '../support/animations';
import { PNG_KINDS } from '../support/png-types';
import { withEveryEngine } from './engines';

const typesIn = (png: Uint8Array) => readPngStructure(png).chunks.map(({ type }) => type);
const headerOf = (png: Uint8Array) => png.subarray(0, 33);
const author = chunkOf('tEXt', Buffer.from('Author\0Ann'));
const place = chunkOf('tEXt', Buffer.from('Location\0at home'));

withEveryEngine((compress) => {
  it.each(PNG_KINDS)('%s: every frame has the same samples in fewer bytes', async (_, kind) => {
    const source = animationOf({ kind, frames: FOUR_FRAMES });
    const { bytes, report } = await compress(source);
    expect(report.skipReason).toBeUndefined();
    expect(bytes.length).toBeLessThan(source.length * 0.98);
    expect(decodedFrames(bytes)).toEqual(decodedFrames(source));
    expect(headerOf(bytes)).toEqual(headerOf(source));
    expect(report).toMatchObject({ score: 1, maxError: 0, dimensions: { width: 120, height: 90 } });
  });

  it('an image that only stills show stays in front of the frames', async () => {
    const source = animationOf({ frames: FOUR_FRAMES, hasStill: true });
    const { bytes } = await compress(source);
    expect(bytes.length).toBeLessThan(source.length);
    expect(decodedFrames(bytes)).toEqual(decodedFrames(source));
    expect(decodedFrames(bytes)[0].control).toBeUndefined();
    expect(typesIn(bytes).filter((type) => type === 'IDAT' || type === 'fcTL')).toEqual([
      'IDAT',
      'fcTL',
      'fcTL',
      'fcTL',
    ]);
  });

  it('data may be in many small chunks', async () => {
    const source = animationOf({ frames: FOUR_FRAMES, chunkBytes: 50 });
    expect(typesIn(source).filter((type) => type === 'fdAT').length).toBeGreaterThan(20);
    const { bytes } = await compress(source);
    expect(decodedFrames(bytes)).toEqual(decodedFrames(source));
  });

  it('a result whose frames another tool has changed is compressed again', async () => {
    const { bytes } = await compress(animationOf({ frames: FOUR_FRAMES }));
    const { chunks } = readPngStructure(bytes);
    const shorter = fileOf(
      chunks.map(({ type, raw, data }, i) =>
        type === 'fcTL' && i > 5
          ? chunkOf('fcTL', Buffer.concat([data.subarray(0, 20), Buffer.of(0, 1, 0, 9, 0, 0)]))
          : Buffer.from(raw),
      ),
    );
    expect((await compress(shorter, { MIN_SAVINGS_PERCENT: '0' })).report.encodes).toBeGreaterThan(0);
  });

  it('is returned unchanged if too little is saved', async () => {
    const first = await compress(animationOf({ frames: FOUR_FRAMES }));
    const { chunks } = readPngStructure(first.bytes);
    const source = fileOf(chunks.filter(({ type }) => type !== 'icRS').map(({ raw }) => Buffer.from(raw)));
    const { bytes, report } = await compress(source);
    expect(report.skipReason).toBe('animated');
    expect(bytes).toBe(source);
  });

  it('metadata are removed as from a still image', async () => {
    const source = animationOf({ frames: FOUR_FRAMES, extra: [author, place] });
    expect(typesIn((await compress(source)).bytes)).not.toContain('tEXt');
    const { bytes } = await compress(source, { KEEP_METADATA: 'copyright' });
    expect(bytes.includes('Ann')).toBe(true);
    expect(bytes.includes('at home')).toBe(false);
    const all = await compress(source, { KEEP_METADATA: 'all' });
    expect(all.bytes.includes('at home')).toBe(true);
    expect(decodedFrames(all.bytes)).toEqual(decodedFrames(source));
  });

  it('an orientation stays, because no frame is rotated', async () => {
    const eXIf = chunkOf('eXIf', writeTiff([shortField(TAG.orientation, 6)]));
    const { bytes, report } = await compress(animationOf({ frames: FOUR_FRAMES, extra: [eXIf] }));
    expect(readPngStructure(bytes).orientation).toBe(6);
    expect(report.dimensions).toEqual({ width: 90, height: 120 });
    expect(report.skipReason).toBeUndefined();
  });

  it.each(['gAMA', 'iCCP'])('%s that changes colours stays', async (type) => {
    const profile = Buffer.concat([
      Buffer.from('p\0\0'),
      deflateSync(Buffer.from('a profile that nobody can read')),
    ]);
    const chunk = chunkOf(type, type === 'gAMA' ? uint32s(100_000) : profile);
    const { bytes } = await compress(animationOf({ frames: FOUR_FRAMES, extra: [chunk] }));
    expect(bytes.includes(chunk)).toBe(true);
  });
});

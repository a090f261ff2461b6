/** A PNG that cannot become smaller loses its private metadata all the same; without any it is returned unchanged. */
import sharp from 'sharp';
import { pngChunk, readChunks } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { graphicPng } from '../support/images';
import { ARTIST, fullPngChunks } from '../support/metadata-files';
import { withEveryEngine } from './engines';
import { cleaned, expectUnchanged, HARMLESS_CHUNKS, latin1, PRIVATE_CHUNKS } from './private-pieces';

withEveryEngine((compress) => {
  let png: Uint8Array;
  beforeAll(async () => {
    png = (await compress(graphicPng(120, 90))).bytes;
  });

  it.each(Object.entries(PRIVATE_CHUNKS))('removes %s, and nothing else', async (_, found) => {
    expect(await cleaned(compress, withChunks(png, [found]))).toEqual(Buffer.from(png));
  });

  it.each(Object.entries(HARMLESS_CHUNKS))('%s is no reason to change a file', async (_, found) => {
    await expectUnchanged(compress, withChunks(png, [found]));
  });

  it('removes bytes that no decoder reads', async () => {
    const damaged = Buffer.from(PRIVATE_CHUNKS['an author'].raw);
    damaged[damaged.length - 1] ^= 1;
    const unread = { ...PRIVATE_CHUNKS['an author'], raw: damaged };
    for (const source of [Buffer.concat([png, latin1('Secret')]), withChunks(png, [unread])]) {
      expect(await cleaned(compress, source)).toEqual(Buffer.from(png));
    }
    await expectUnchanged(compress, Buffer.concat([png, Buffer.alloc(64)]));
  });

  it('keeps orientation and colours, as an independent reader finds them', async () => {
    const gamma = pngChunk('gAMA', Buffer.from([0, 1, 0, 0]));
    const source = withChunks(png, [gamma, ...fullPngChunks(6, 120, 90)]);
    const bytes = await cleaned(compress, source);
    expect(bytes.toString('latin1')).not.toMatch(/Secret|Thumbnail|Author/);
    expect(readChunks(bytes).map(({ type }) => type)).toContain('gAMA');
    const { orientation, xmp, comments } = await sharp(bytes).metadata();
    expect([orientation, xmp, comments]).toEqual([6, undefined, undefined]);
  });

  it('an animation keeps its frames', async () => {
    const [header, ...rest] = readChunks(png);
    const acTL = pngChunk('acTL', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]));
    const [fcTL, fdAT] = [pngChunk('fcTL', Buffer.alloc(26, 1)), pngChunk('fdAT', Buffer.alloc(9, 1))];
    const animated = Buffer.concat([
      png.subarray(0, 8),
      ...[header, acTL, fcTL, ...rest.slice(0, -1), fdAT, rest.at(-1)!].map(({ raw }) => raw),
    ]);
    await expectUnchanged(compress, animated);
    expect(await cleaned(compress, withChunks(animated, [PRIVATE_CHUNKS['an author']]))).toEqual(animated);
  });

  it('KEEP_METADATA=copyright keeps author and copyright, all keeps everything', async () => {
    const copyright = { KEEP_METADATA: 'copyright' };
    const full = withChunks(png, fullPngChunks(1, 120, 90));
    const bytes = await cleaned(compress, full, copyright);
    expect(bytes.toString('latin1')).toContain(ARTIST);
    expect(bytes.toString('latin1')).not.toMatch(/Secret|Thumbnail/);
    await expectUnchanged(compress, withChunks(png, [PRIVATE_CHUNKS['an author']]), copyright);
    await expectUnchanged(compress, full, { KEEP_METADATA: 'all' });
  });
});

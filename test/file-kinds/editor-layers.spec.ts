/** PNGs in which an editor has stored what it needs to edit them again: the report says that it goes. */
import { pngChunk, readChunks, type PngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { animationOf, FOUR_FRAMES } from '../support/animations';
import { graphicPng } from '../support/images';
import { withEveryEngine } from './engines';

const text = (type: string, keyword: string) =>
  pngChunk(type, Buffer.from(`${keyword}\0a drawing`, 'latin1'));
const LAYERS: Record<string, PngChunk> = {
  ...Object.fromEntries(
    ['prVW', 'mkBF', 'mkBS', 'mkBT', 'mkTS', 'skMf', 'skRf'].map((type) => [
      type,
      pngChunk(type, Buffer.alloc(9)),
    ]),
  ),
  'a diagram of draw.io': text('tEXt', 'mxfile'),
  'an older one': text('zTXt', 'mxGraphModel'),
  'a drawing of Excalidraw': text('tEXt', 'application/vnd.excalidraw+json'),
  'the source of PlantUML': text('tEXt', 'plantuml'),
};
const LOST = ['editor-layers'];

withEveryEngine((compress) => {
  it.each(Object.entries(LAYERS))('%s', async (_, layer) => {
    const source = withChunks(graphicPng(120, 90), [layer]);
    const rewritten = await compress(source);
    expect(rewritten.report.removed).toEqual(LOST);
    expect(readChunks(rewritten.bytes).map(({ type }) => type)).not.toContain(layer.type);
    // The same of a file that cannot become smaller, and is copied without what is private.
    const copied = await compress(withChunks(rewritten.bytes, [layer]));
    expect([copied.report.removed, copied.bytes]).toEqual([LOST, rewritten.bytes]);
    const kept = await compress(withChunks(rewritten.bytes, [layer]), { KEEP_METADATA: 'all' });
    expect([kept.report.removed, kept.report.skipReason]).toEqual([undefined, 'already-optimised']);
  });

  it('is named beside what else goes, in another format too', async () => {
    const source = withChunks(graphicPng(120, 90), [LAYERS['a drawing of Excalidraw']]);
    const stays = await compress(source, { KEEP_METADATA: 'all' });
    expect(stays.report.removed).toBeUndefined();
    const converted = await compress(source, { KEEP_METADATA: 'all', FORMAT: 'webp' });
    expect([converted.report.format, converted.report.removed]).toEqual(['webp', ['kept-metadata', ...LOST]]);
  });

  it('goes from an animation, and is not missed where there was none', async () => {
    const animation = animationOf({ frames: FOUR_FRAMES });
    expect((await compress(withChunks(animation, [LAYERS['mkBS']]))).report.removed).toEqual(LOST);
    expect((await compress(animation)).report.removed).toBeUndefined();
    const note = pngChunk('tEXt', Buffer.from('Author\0mxfile', 'latin1'));
    expect((await compress(withChunks(graphicPng(120, 90), [note]))).report.removed).toBeUndefined();
  });
});

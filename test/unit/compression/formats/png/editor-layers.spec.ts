/** PNGs that a program opens again are left alone by `--fix` and `--in-place`. */
import { deflateSync } from 'node:zlib';
import { editorLayers, wouldLoseLayers } from '../../../../../src/compression/formats/png/editor-layers';
import { pngChunk } from '../../../../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../../../../src/compression/formats/png/png-metadata';
import { readPngStructure } from '../../../../../src/compression/formats/png/png-structure';
import { graphicPng } from '../../../../support/images';

const text = (keyword: string, value = 'data') =>
  pngChunk('tEXt', Buffer.from(`${keyword}\0${value}`, 'latin1'));
const packed = (keyword: string, value: string) =>
  pngChunk('zTXt', Buffer.concat([Buffer.from(`${keyword}\0\0`, 'latin1'), deflateSync(value)]));
const loses = (keep: 'none' | 'all', chunk: ReturnType<typeof text>) =>
  wouldLoseLayers(readPngStructure(withChunks(graphicPng(8, 8), [chunk])), keep);

it.each([
  ...['plantuml', 'openbadges', 'workflow', 'prompt', 'parameters', 'chara', 'ccv3', 'mxfile'].map(
    (keyword) => text(keyword),
  ),
  pngChunk('caRt', Buffer.alloc(9)),
  pngChunk('mkBF', Buffer.alloc(9)),
])('%#: data of a program in the table', (chunk) => {
  expect(editorLayers([chunk])).toEqual([chunk]);
  expect(loses('none', chunk)).toBe(true);
});

it('unknown texts over 256 bytes are data, whatever they are packed in', () => {
  const [short, long] = ['x'.repeat(256), 'x'.repeat(257)];
  for (const chunk of [text('Comment', long), packed('scene', long)])
    expect([loses('none', chunk), loses('all', chunk), editorLayers([chunk])]).toEqual([true, false, []]);
  expect(loses('none', text('scene', short))).toBe(false);
  for (const keyword of [
    'Copyright',
    'License',
    'Software',
    'Creation Time',
    'date:create',
    'XML:com.adobe.xmp',
  ])
    expect(
      loses(
        'none',
        keyword.startsWith('XML') ? pngChunk('iTXt', text(keyword, long).data) : text(keyword, long),
      ),
    ).toBe(false);
});

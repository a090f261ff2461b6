/** PNGs that a program opens again are left alone by `--fix` and `--in-place`. */
import { deflateSync } from 'node:zlib';
import { findData, neededData, readSource } from '../../../../../src/compression/formats/image-header';
import { pngChunk } from '../../../../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../../../../src/compression/formats/png/png-metadata';
import { graphicPng } from '../../../../support/images';

const text = (keyword: string, value = 'data') =>
  pngChunk('tEXt', Buffer.from(`${keyword}\0${value}`, 'latin1'));
const packed = (keyword: string, value: string) =>
  pngChunk('zTXt', Buffer.concat([Buffer.from(`${keyword}\0\0`, 'latin1'), deflateSync(value)]));
const sourceWith = (...chunks: readonly ReturnType<typeof text>[]) =>
  readSource(withChunks(graphicPng(8, 8), chunks), Infinity);
const kindsIn = (...chunks: readonly ReturnType<typeof text>[]) =>
  findData(sourceWith(...chunks)).map(({ kind }) => kind);
const loses = (keep: 'none' | 'all', chunk: ReturnType<typeof text>) =>
  neededData(sourceWith(chunk), keep).length > 0;

it.each([
  ...['plantuml', 'openbadges', 'workflow', 'prompt', 'parameters', 'chara', 'ccv3', 'mxfile'].map(
    (keyword) => text(keyword),
  ),
  pngChunk('caRt', Buffer.alloc(9)),
  pngChunk('mkBF', Buffer.alloc(9)),
])('%#: data of a program in the table', (chunk) => {
  const kind = /^(?:workflow|prompt|parameters)/.test(Buffer.from(chunk.data).toString())
    ? 'prompt'
    : 'editor-layers';
  expect(kindsIn(chunk)).toEqual([kind]);
  expect(loses('none', chunk)).toBe(true);
});

it('unknown texts over 256 bytes are data, whatever they are packed in', () => {
  const [short, long] = ['x'.repeat(256), 'x'.repeat(257)];
  for (const chunk of [text('Comment', long), packed('scene', long)])
    expect([loses('none', chunk), loses('all', chunk), kindsIn(chunk)]).toEqual([
      true,
      false,
      ['other-data'],
    ]);
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

it('names prompts among ordinary texts, and credentials, which keep no file as it is', () => {
  expect(kindsIn(text('Software', 'NovelAI'), text('Description', 'a fox'))).toEqual(['prompt']);
  for (const prompt of ['{"prompt": "a fox", "seed": 1}', 'a fox\nNegative prompt: dogs'])
    expect(kindsIn(text('Comment', prompt))).toEqual(['prompt']);
  expect(kindsIn(text('Description', 'a fox'), text('Comment', 'seen in the snow'))).toEqual([]);
  const credentials = pngChunk('caBX', Buffer.alloc(999));
  expect([kindsIn(credentials), loses('none', credentials)]).toEqual([['content-credentials'], false]);
});

import { JoinedPieces } from '../../../../src/compression/http/multipart-image';

let written: Buffer[];
let chunks: JoinedPieces;
beforeEach(() => {
  written = [];
  chunks = new JoinedPieces((chunk) => void written.push(chunk));
});
const turn = () => new Promise(setImmediate);

it('joins chunks of one byte that arrive together, in pieces of 16 KiB', async () => {
  const body = Buffer.from(Array.from({ length: 40_000 }, (_, i) => i % 251));
  for (let i = 0; i < body.length; i++) chunks.add(body.subarray(i, i + 1));
  await turn();
  expect(written.map(({ length }) => length)).toEqual([16_384, 16_384, 7_232]);
  expect(Buffer.concat(written)).toEqual(body);
});

it('passes large chunks as they are, behind the small ones before them', async () => {
  const large = Buffer.alloc(2_000, 'l');
  for (const chunk of [Buffer.from('a'), Buffer.from('b'), large, Buffer.from('c')]) chunks.add(chunk);
  expect(written).toEqual([Buffer.from('ab'), large]);
  expect(written[1]).toBe(large);
  await turn();
  expect(written[2]).toEqual(Buffer.from('c'));
});

it('writes nothing twice, and copies what it writes', async () => {
  chunks.add(Buffer.from('a'));
  chunks.flush();
  chunks.add(Buffer.from('b'));
  await turn();
  expect(written.map(String)).toEqual(['a', 'b']);
});

import { BodyChunks } from '../../../../src/compression/http/body-chunks';

it('joins tiny chunks that arrive together, keeps their order, and passes others on unchanged', async () => {
  const written: Buffer[] = [];
  const pieces = new BodyChunks((piece) => written.push(piece));
  const sent: Buffer[] = [];
  const add = (piece: Buffer) => {
    sent.push(piece);
    pieces.add(piece);
  };
  for (let i = 0; i < 40_000; i++) add(Buffer.from([i & 255]));
  const large = Buffer.alloc(5_000, 7);
  add(large);
  add(Buffer.from('end'));
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(Buffer.concat(written)).toEqual(Buffer.concat(sent));
  expect(written.length).toBeLessThan(10);
  expect(written).toContain(large);
});

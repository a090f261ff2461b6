import { uint32s } from '../../../../../src/compression/formats/bytes';
import { readAcceptedHeader } from '../../../../../src/compression/formats/image-header';
import { pngChunk, readChunks, pngOfChunks } from '../../../../../src/compression/formats/png/png-chunks';
import { readPngHeader, readPngStructure } from '../../../../../src/compression/formats/png/png-structure';
import { chunkOf, fileOf } from '../../../../support/animations';
import { graphicPng } from '../../../../support/images';

it('accepts exactly the bit depths that a colour type may have', () => {
  const valid = [[1, 2, 4, 8, 16], [], [8, 16], [1, 2, 4, 8], [8, 16], [], [8, 16], []];
  const file = graphicPng(8, 8);
  const isAccepted = (depth: number, type: number) => {
    file.set([depth, type], 24);
    try {
      return readPngHeader(file).bitDepth === depth;
    } catch {
      return false;
    }
  };
  const depths = Array.from({ length: 256 }, (_, depth) => depth);
  valid.forEach((wanted, type) => {
    expect(depths.filter((depth) => isAccepted(depth, type))).toEqual(wanted);
  });
});

it.each([
  ['compression', 26],
  ['filter', 27],
  ['interlace', 28],
])('refuses an unknown %s method', (_, at) => {
  const file = graphicPng(8, 8);
  file[at] = 2;
  expect(() => readPngHeader(file)).toThrow(/header combines values/);
});

it('says of a file without image data whether it is cut off', () => {
  const file = graphicPng(8, 8);
  const cut = file.subarray(0, file.indexOf('IDAT', 0, 'latin1') + 10);
  expect(() => readPngStructure(cut)).toThrow('The PNG is damaged: it is cut off.');
  const empty = pngOfChunks(readChunks(cut));
  expect(() => readPngStructure(empty)).toThrow('The PNG is damaged: it has no image data.');
});

it('reads the headers of 30 000 frames in 40% of the time that their chunks take', () => {
  const control = chunkOf('fcTL', Buffer.concat([uint32s(0, 8, 8), Buffer.alloc(14)]));
  const header = chunkOf('IHDR', Buffer.concat([uint32s(9_000, 9_000), Buffer.of(8, 6, 0, 0, 1)]));
  const frames = Array<Buffer>(30_000).fill(control);
  const file = fileOf([header, chunkOf('acTL', uint32s(30_000, 0)), ...frames, chunkOf('IDAT')]);
  const spent = (work: () => unknown) => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user;
  };
  // A tenth to a third of it; half of it when each frame made objects. Other programs slow some rounds down, not all.
  let [chunks, headers] = [Infinity, Infinity];
  for (let round = 0; round < 60 && headers >= chunks * 0.4; round++) {
    chunks = Math.min(
      chunks,
      spent(() => readChunks(file)),
    );
    headers = Math.min(
      headers,
      spent(() => readAcceptedHeader(file, 268e6)),
    );
  }
  expect(headers).toBeLessThan(chunks * 0.4);
});

it("names Apple's variant, whose first chunk is CgBI", () => {
  const marker = pngChunk('CgBI', Buffer.of(0x50, 0, 0x20, 6));
  const file = pngOfChunks([marker, ...readChunks(graphicPng(8, 8))]);
  expect(() => readPngHeader(file)).toThrow(/Apple's own variant \(CgBI\).*-revert-iphone-optimizations/);
});

it('accepts sides of up to 65 535 pixels', () => {
  const declared = (width: number, height: number) =>
    fileOf([
      chunkOf('IHDR', Buffer.concat([uint32s(width, height), Buffer.of(8, 2, 0, 0, 0)])),
      chunkOf('IDAT'),
    ]);
  expect(readAcceptedHeader(declared(65_535, 4), 268e6).dimensions.width).toBe(65_535);
  for (const file of [declared(65_536, 4), declared(4, 65_536)]) {
    expect(() => readAcceptedHeader(file, 268e6)).toThrow(/65536 pixels; the limit is 65,535/);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format } from './jxl.mjs';
import { heldBytes } from './threads.mjs';

const image = { effort: 'fast', pixelCount: 600, isPhoto: true };
const pixelsOf = (width, height, channels) => ({
  width,
  height,
  channels,
  data: Uint8Array.from({ length: width * height * channels }, (_, i) => (i * 37) % 256),
});
const photo = pixelsOf(30, 20, 3);
const exif = Buffer.from('49492a0008000000010098820200050000001a000000000000004c204100', 'hex');
const xmp = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');

/** The boxes of a file by type (ISO/IEC 18181-2). */
function boxesOf(file) {
  const bytes = Buffer.from(file);
  const boxes = {};
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at))
    boxes[bytes.toString('latin1', at + 4, at + 8)] = bytes.subarray(at + 8, at + bytes.readUInt32BE(at));
  return boxes;
}

test('writes EXIF and XMP as they are, before the image', async () => {
  const file = await format.encode(photo, { quality: 80, image, metadata: { exif, xmp } });
  const boxes = boxesOf(file);
  assert.deepEqual(Object.keys(boxes), ['JXL ', 'ftyp', 'Exif', 'xml ', 'jxlc']);
  assert.deepEqual(boxes['Exif'], Buffer.concat([Buffer.alloc(4), exif]));
  assert.deepEqual(boxes['xml '], xmp);
  assert.equal((await format.decode(file, photo)).width, 30);
});

test('writes a bare codestream without metadata', async () => {
  const file = await format.encode(photo, { quality: 80, image, metadata: {} });
  assert.deepEqual([...file.subarray(0, 2)], [0xff, 0x0a]);
});

test('keeps grey and its alpha without loss', async () => {
  for (const channels of [1, 2, 3, 4]) {
    const pixels = pixelsOf(30, 20, channels);
    const decoded = await format.decode(
      await format.encodeLosslessly(pixels, { effort: 'fast', metadata: {} }),
      pixels,
    );
    assert.deepEqual(decoded.data, pixels.data);
  }
});

test('ends its thread when its memory is not allowed, and starts another', async () => {
  await format.encode(photo, { quality: 80, image, metadata: {} });
  assert.ok(heldBytes() > 0);
  assert.equal(format.releaseMemory(Infinity), false);
  assert.equal(format.releaseMemory(0), true);
  const file = await format.encode(photo, { quality: 80, image, metadata: {} });
  assert.equal((await format.decode(file, photo)).height, 20);
});

test('refuses damaged files, and decodes the next one', async () => {
  const file = await format.encode(photo, { quality: 80, image, metadata: {} });
  await assert.rejects(() => format.decode(file.subarray(0, 30), photo), /libjxl cannot decode this image/);
  assert.equal((await format.decode(file, photo)).width, 30);
});

test('refuses a compared image of more than 4 megapixels that is larger than its original', async () => {
  for (const height of [2000, 2001]) {
    const pixels = { width: 2000, height, channels: 1, data: new Uint8Array(2000 * height).fill(117) };
    const file = await format.encodeLosslessly(pixels, { effort: 'fast', metadata: {} });
    if (height === 2000) assert.equal((await format.decode(file, photo)).data[0], 117);
    else await assert.rejects(() => format.decode(file, photo), /libjxl cannot decode this image/);
    assert.equal((await format.decode(file, pixels)).height, height);
  }
});

test('refuses an animation', async () => {
  // Two frames of 8 × 8 px.
  const animation =
    'ff0a410403088a5b020800ffffffff030040004b188b1542a9d04900000000000000000800ffffffff070044004b188b15c249414e480000000000000000';
  await assert.rejects(
    () => format.decode(Buffer.from(animation, 'hex'), photo),
    /libjxl cannot decode this image/,
  );
});

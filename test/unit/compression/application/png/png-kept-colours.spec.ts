/** Colours that lossy PNGs keep: those of large areas, pure and rare ones; and loss that saves next to nothing. */
import { compress } from '../../../../support/compressing';
import { png, screenshot, textured, type Draw } from '../../../../support/drawn-pngs';
import { decodeIndependently } from '../../../../support/images';

/** Soft edges in shades of which one is much like the dialog's. */
const dark: Draw = (x, y) => screenshot(x, y).map((value, c) => (c < 3 ? value >> 2 : value));

const dialogOver =
  (ground: Draw): Draw =>
  (x, y) => {
    if (x < 40 || x >= 200 || y < 30 || y >= 130) return ground(x, y);
    return y < 60 ? [13, 110, 253, 255] : (x * y) % 97 === 0 ? [255, 0, 0, 255] : [26, 26, 26, 255];
  };

it.each([
  ['a palette', dark, undefined],
  ['a near-lossless file', textured, expect.any(Number)],
])('%s keeps the colours of large areas and pure ones', async (_, ground, maxError) => {
  const source = png(360, 260, dialogOver(ground));
  const { bytes, report } = await compress(source);
  expect(report.score).toBeLessThan(1);
  expect(report.maxError).toEqual(maxError);
  const [before, after] = [source, Buffer.from(bytes)].map((file) => decodeIndependently(file).data);
  const moved = new Set<string>();
  for (let at = 0; at < before.length; at += 4) {
    const [was, is] = [before, after].map((data) => data.slice(at, at + 3).join());
    if (['13,110,253', '26,26,26', '255,0,0'].includes(was) && is !== was) moved.add(`${was} ${is}`);
  }
  expect([...moved]).toEqual([]);
});

it('under max_bytes, a marker in a rare colour keeps it', async () => {
  const isMarker = (x: number, y: number) => Math.hypot(x - 150, y - 100) < 5;
  const map: Draw = (x, y) =>
    isMarker(x, y) ? [33, 139, 67, 255] : [screenshot(x, y)[0], screenshot(x, y)[0] - 20, 190, 255];
  const source = png(300, 200, map);
  const usual = await compress(source);
  for (const share of [0.8, 0.5]) {
    const byteLimit = { maxBytes: Math.floor(usual.bytes.length * share), allowsAny: true };
    const { bytes, report } = await compress(source, { byteLimit });
    expect(report.budget).toBe('met');
    const { width, data } = decodeIndependently(bytes);
    // The middle of the marker, at 150.5 and 100.5 of 300.
    const at = (Math.floor(width * (100.5 / 300)) * width + Math.floor(width * (150.5 / 300))) * 4;
    const [red, green, blue] = data.slice(at, at + 3);
    expect(green - Math.max(red, blue)).toBeGreaterThan(40);
  }
});

it('loses nothing where that would save less than a tenth', async () => {
  // Flat tiles in 180 colours, each used as often: a mask.
  const mask: Draw = (x, y) => {
    const tile = ((x >> 3) * 31 + (y >> 3) * 17) % 180;
    return [tile, (tile * 7) % 180, (tile * 13) % 180, 255];
  };
  const { report } = await compress(png(400, 320, mask));
  expect(report).toMatchObject({ score: 1, maxError: 0 });
});

import type { KeptColours } from '../../../../../src/compression/domain/kept-colours';
import { withExactColours } from '../../../../../src/compression/domain/palette/exact-colours';
import { word } from '../../../../support/images';

const NONE: KeptColours = { exact: new Set(), hidden: word([7, 8, 9, 0]), isHiddenPlain: true };

/** The colours after a quantiser has merged each with an index of the palette. */
function exactColours(
  merged: number[][],
  row: readonly number[],
  source: readonly (readonly number[])[],
  kept = NONE,
) {
  const image = {
    width: row.length,
    height: 1,
    palette: Uint8Array.from(merged.flat()),
    rows: Uint8Array.of(0, ...row),
  };
  const data = Uint8Array.from(source.flat());
  const { palette, entries } = withExactColours(
    image,
    { width: row.length, height: 1, channels: 4, data },
    kept,
  );
  return row.map((_, i) => [...palette.subarray(entries[i] * 4, entries[i] * 4 + 4)]);
}
const veiled = (...alphas: number[]) => alphas.map((alpha) => [9, 9, 9, alpha]);

it('opaque colours stay opaque and transparent ones become the hidden colour; others get the alpha they were merged with', () => {
  expect(exactColours([[90, 60, 30, 245]], [0, 0, 0], veiled(255, 230, 0))).toEqual([
    [90, 60, 30, 255],
    [90, 60, 30, 245],
    [7, 8, 9, 0],
  ]);
  const invisible = exactColours([[90, 60, 30, 0]], [0, 0], veiled(255, 230));
  expect(invisible).toEqual([
    [90, 60, 30, 255],
    [7, 8, 9, 0],
  ]);
  const opaque = exactColours([[90, 60, 30, 255]], [0], veiled(250));
  expect(opaque).toEqual([[90, 60, 30, 255]]);
});

it('kept colours are exact, and what was merged with them keeps the merged colour', () => {
  const [grey, faint] = [
    [26, 26, 26, 255],
    [255, 0, 0, 90],
  ];
  const kept = { ...NONE, exact: new Set([word(grey), word(faint)]) };
  const merged = [
    [30, 30, 30, 255],
    [230, 0, 0, 0],
  ];
  expect(exactColours(merged, [0, 0, 1, 1], [grey, [36, 36, 36, 255], faint, [150, 0, 0, 90]], kept)).toEqual(
    [grey, [30, 30, 30, 255], faint, [7, 8, 9, 0]],
  );
});

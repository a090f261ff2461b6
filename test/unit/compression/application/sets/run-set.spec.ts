/** The placeholder of an earlier run. */
import { SetInProgress, type SetDescription } from '../../../../../src/compression/application/sets/run-set';
import { planSet, type PlaceholderKind } from '../../../../../src/compression/domain/sets/set-plan';
import { readSettings } from '../../../../../src/settings/settings';

const { policy, resultFormats } = readSettings({}).compression;
const image = { format: 'png', dimensions: { width: 200, height: 100 } } as const;
const report = {
  format: 'png',
  originalSize: 9,
  compressedSize: 5,
  bytesSaved: 4,
  score: 1,
  dimensions: { width: 100, height: 50 },
  originalDimensions: image.dimensions,
} as const;
const file = {
  name: 'a-100.png',
  format: 'png',
  width: 100,
  height: 50,
  density: 1,
  bytes: 5,
  ssim: 1,
} as const;

/** Returns how many results are made again, and the placeholder. */
async function again(kind: PlaceholderKind, earlier: Partial<SetDescription> | null | undefined) {
  const options = { sizes: { widths: [100] }, name: 'a', alt: '', placeholder: kind };
  const plan = planSet(image, options, policy, resultFormats);
  const set = new SetInProgress(plan);
  set.add(plan.variants[0], report);
  set.keepPlaceholder(earlier);
  let made = 0;
  const runSet = ({ length }: Uint8Array, { policies }: { policies: readonly unknown[] }) => {
    made += policies.length + length;
    return Promise.resolve();
  };
  const run = { deadlineAt: Infinity, deadlineMs: Infinity, signal: new AbortController().signal };
  await set.run({ runSet }, new Uint8Array(), run, () => undefined);
  return [made, set.describe().placeholder];
}

it('is kept if it is of the wanted kind and of the same files', async () => {
  const files = [file];
  expect(await again('colour', { files, placeholder: '#123456' })).toEqual([0, '#123456']);
  expect(await again('blur', { files, placeholder: 'data:image/webp;base64,' })).toEqual([
    0,
    'data:image/webp;base64,',
  ]);
  // A transparent image has none, and a worker is not asked again.
  expect(await again('blur', { files, placeholder: null })).toEqual([0, null]);
});

it.each([
  ['no earlier run', undefined],
  ['a damaged description', null],
  ['a run without placeholder', { files: [file] }],
  ['another kind', { files: [file], placeholder: 'data:image/webp;base64,' }],
  ['another image of the same name', { files: [{ ...file, bytes: 6 }], placeholder: '#123456' }],
  ['none of another image', { files: [], placeholder: null }],
])('is made again after %s', async (_, earlier) => {
  expect(await again('colour', earlier)).toEqual([1, undefined]);
});

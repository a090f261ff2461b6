import type { InvalidOptionError } from '../../src/library/index';
import { expectSuccess } from '../support/ended';
import { PROJECT } from '../support/folders';
import { graphicPng, photoJpeg } from '../support/images';
import { library } from '../support/library';
import { project } from './installed-project';

const { compress, compressSet, Compressor } = library;
const sizes = { width: 100, densities: [1, 2], effort: 'fast' } as const;

let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(400, 300)));

it('yields the files as single compressions make them, then the description', async () => {
  const set = compressSet(photo, { ...sizes, format: 'webp,same', name: 'lake', placeholder: 'blur' });
  const files = new Map<string, Uint8Array>();
  for await (const { name, bytes, report } of set) {
    expect(report.compressedSize).toBe(bytes.length);
    files.set(name, bytes);
  }
  expect([...files.keys()].sort()).toEqual([
    'lake-100.jpg',
    'lake-100.webp',
    'lake-100@2x.jpg',
    'lake-100@2x.webp',
  ]);
  const single = await compress(photo, { maxDimension: 200, density: 2, format: 'webp', effort: 'fast' });
  expect(single.bytes).toEqual(files.get('lake-100@2x.webp'));
  const { markup, placeholder, failed } = await set.description;
  expect(failed).toEqual([]);
  expect(placeholder).toMatch(/^data:image\/webp;base64,/);
  expect(await set.markup).toBe(markup);
  expect(markup).toContain('lake-100.jpg 1x, lake-100@2x.jpg 2x');
});

it('throws for wrong options at once', () => {
  const rule = (options: object) => {
    try {
      compressSet(photo, options);
      return undefined;
    } catch (error) {
      return [(error as InvalidOptionError).option, (error as Error).message];
    }
  };
  expect(rule({})).toEqual(['widths', 'widths must be given, or else a width and densities.']);
  expect(rule({ widths: [100.5] })?.[0]).toBe('widths');
  expect(rule({ widths: [100], maxDimension: 100 })?.[0]).toBe('maxDimension');
  expect(rule({ widths: [100], quality: 'best' })?.[0]).toBe('quality');
  expect(rule({ widths: [100], nonsense: 1 })?.[0]).toBe('nonsense');
});

it('leaves out formats that cannot hold the image, and throws if none can', async () => {
  const png = graphicPng(200, 150);
  const set = compressSet(png, { ...sizes, format: 'jpeg,same' });
  const names = [];
  for await (const { name } of set) names.push(name);
  expect(names.sort()).toEqual(['image-100.png', 'image-100@2x.png']);
  const { failed, notes } = await set.description;
  expect(failed).toEqual([]);
  expect(notes).toEqual([
    expect.stringMatching(/^image-100\.jpg was not made\. .*transparency/),
    expect.stringMatching(/^image-100@2x\.jpg was not made/),
  ]);
  const none = compressSet(png, { ...sizes, format: 'jpeg' });
  await expect(none[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'cannot_convert' });
  await expect(none.description).rejects.toMatchObject({ code: 'cannot_convert' });
});

it('stops when the loop is left, when the signal is aborted, and when the compressor is closed', async () => {
  const left = compressSet(photo, { ...sizes, format: 'avif,same' });
  for await (const { name } of left) {
    expect(name).toMatch(/^image-100/);
    break;
  }
  await expect(left.description).rejects.toMatchObject({ code: 'ABORT_ERR' });
  const stop = new AbortController();
  const stopped = compressSet(photo, { ...sizes, signal: stop.signal });
  stop.abort();
  await expect(stopped.description).rejects.toMatchObject({ code: 'ABORT_ERR' });
  const compressor = new Compressor();
  const closed = compressor.compressSet(photo, sizes);
  compressor.close();
  await expect(closed.description).rejects.toMatchObject({ code: 'ABORT_ERR' });
  expect(() => compressor.compressSet(photo, sizes)).toThrow('closed');
});

it('ends no program by an error that its loop has caught, also if the markup was read', () => {
  const place = project();
  place.put(
    'caught.mjs',
    `import { compressSet } from 'image-compression-service';
     const set = compressSet(Buffer.from('no image'), { widths: [100] });
     const { markup } = set;
     try {
       for await (const { name } of set) console.log(name);
     } catch ({ code }) {
       console.log(code);
     }`,
  );
  expect(expectSuccess(place.node('caught.mjs'))).toBe('unsupported_media_type\n');
});

it('prints no warning for a set of many files and a signal', () => {
  const place = project();
  place.put(
    'many.mjs',
    `import { compressSet } from 'image-compression-service';
     const { signal } = new AbortController();
     const widths = Array.from({ length: 12 }, (_, i) => 16 + 8 * i);
     await compressSet('photos/sample.jpg', { widths, effort: 'fast', signal }).description;`,
  );
  expectSuccess(place.node('many.mjs'));
});

it('runs the example for Eleventy', () => {
  const place = project();
  place.put('eleventy.config.mjs', PROJECT.read('examples/eleventy.config.mjs'));
  // Calls the configuration as Eleventy does.
  place.put(
    'site.mjs',
    `import configure from './eleventy.config.mjs';
     const shortcodes = {};
     configure({ addAsyncShortcode: (name, make) => (shortcodes[name] = make) });
     console.log(await shortcodes.photo('photos/sample.jpg', 'A lake'));
     console.log(await shortcodes.photo('other/sample.jpg', 'The same'));`,
  );
  place.put('other/sample.jpg', place.read('photos/sample.jpg'));
  const stdout = expectSuccess(place.node('site.mjs'));
  expect(stdout).toMatch(
    /<img src="\/images\/photos-sample-320\.jpg" .* alt="A lake" style="background:#[0-9a-f]{6}">/,
  );
  const widths = ['photos', 'other'].flatMap((of) =>
    [320, 640, 1280].map((width) => `${of}-sample-${width}`),
  );
  const files = widths.flatMap((name) => [`${name}.jpg`, `${name}.webp`]);
  expect(place.files('_site/images')).toEqual(files.sort());
  const addresses = [...stdout.matchAll(/(\S*)-sample-/g)].map(([, start]) => start.replace(/^.*"/, ''));
  expect([...new Set(addresses)]).toEqual(['/images/photos', '/images/other']);
});

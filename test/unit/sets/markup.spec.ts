import { Formats } from '../../../src/contract/formats';
import { comparedByWidth, writeMarkup, notesOn, type SetFile } from '../../../src/sets/markup';

function file(name: string, width: number, bytes: number, density = 1): SetFile {
  const format = name.endsWith('.avif') ? 'avif' : name.endsWith('.webp') ? 'webp' : 'jpeg';
  return { name, format, width, height: width / 2, density, bytes, ssim: 0.9914 };
}
const { builtIn } = Formats;
const byWidth = { sizes: { widths: [480, 960] }, name: 'photo', alt: 'A "red" panda' };

it('lists the formats with the most widely shown one as the fallback', () => {
  const files = [
    file('photo-480.jpg', 480, 90),
    file('photo-480.avif', 480, 50),
    file('photo-480.webp', 480, 70),
    file('photo-960.jpg', 960, 300),
    file('photo-960.avif', 960, 200),
    file('photo-960.webp', 960, 250),
  ];
  expect(comparedByWidth(files)).toEqual(files);
  const sizes = 'sizes="(min-width: 960px) 960px, 100vw"';
  expect(writeMarkup(files, byWidth, undefined, builtIn)).toBe(
    [
      '<picture>',
      `  <source type="image/avif" srcset="photo-480.avif 480w, photo-960.avif 960w" ${sizes}>`,
      `  <source type="image/webp" srcset="photo-480.webp 480w, photo-960.webp 960w" ${sizes}>`,
      `  <img src="photo-480.jpg" srcset="photo-480.jpg 480w, photo-960.jpg 960w" ${sizes} width="960" height="480" alt="A &quot;red&quot; panda">`,
      '</picture>',
    ].join('\n'),
  );
});

it('names another file of the same width where a format is larger, and says so', () => {
  const files = comparedByWidth([
    file('a-480.avif', 480, 50),
    file('a-480.jpg', 480, 90),
    file('a-960.avif', 960, 301),
    file('a-960.jpg', 960, 300),
  ]);
  expect(files[2]).toMatchObject({ largerThan: 'a-960.jpg' });
  expect(writeMarkup(files, byWidth, undefined, builtIn)).toContain(
    '<source type="image/avif" srcset="a-480.avif 480w, a-960.jpg 960w"',
  );
  expect(notesOn(files)).toEqual(['a-960.avif is not in the markup: a-960.jpg is not larger.']);
});

it('leaves out a format that is nowhere smaller, but keeps the fallback', () => {
  const files = comparedByWidth([file('a-480.avif', 480, 90), file('a-480.jpg', 480, 90)]);
  const markup = writeMarkup(files, byWidth, 'background:#aabbcc', builtIn);
  expect(markup).toBe(
    '<img src="a-480.jpg" srcset="a-480.jpg 480w" sizes="(min-width: 480px) 480px, 100vw" width="480" height="240" alt="A &quot;red&quot; panda" style="background:#aabbcc">',
  );
});

it('describes densities, with the dimensions in CSS pixels', () => {
  const files = [file('my photo-480.jpg', 480, 90), file('my photo-480@2x.jpg', 960, 150, 2)];
  expect(
    writeMarkup(files, { ...byWidth, sizes: { width: 480, densities: [1, 2] }, alt: '' }, undefined, builtIn),
  ).toBe(
    '<img src="my%20photo-480.jpg" srcset="my%20photo-480.jpg 1x, my%20photo-480@2x.jpg 2x" width="480" height="240" alt="">',
  );
});

it('is empty without files', () => {
  expect(writeMarkup([], byWidth, undefined, builtIn)).toBe('');
});

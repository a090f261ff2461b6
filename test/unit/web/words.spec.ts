import { Formats } from '../../../src/contract/formats';
import { readReport } from '../../../src/web/page/api/result';
import { countWords, dropWords, titleWords, totalWords } from '../../../src/web/page/words/list';
import { distinctNames, downloadName, nameParts } from '../../../src/web/page/words/names';
import { durationText, savingPercent } from '../../../src/web/page/words/numbers';
import {
  budgetWords,
  largestChangeWords,
  looksWords,
  newFormatWords,
  removedWords,
  savingParts,
  searchWords,
  scalingLine,
  scalingReason,
  scalingWords,
} from '../../../src/web/page/words/results';

const FORMATS_OF_PAGE = Formats.builtIn.publicFacts;
const [JPG, PNG, WEBP, AVIF] = Object.values(FORMATS_OF_PAGE);
/** Of a response without headers. */
const REPORT = readReport(() => null, FORMATS_OF_PAGE);

it('never claims to have saved everything', () => {
  expect(savingPercent(1_000_000, 999_999)).toBe(99);
  expect(savingPercent(200, 1)).toBe(1);
  expect(savingPercent(0, 0)).toBe(0);
});

it('says durations in the unit that is read easily', () => {
  expect([0.4, 999, 1234, 12_345].map(durationText)).toEqual(['0 ms', '999 ms', '1.23 s', '12.3 s']);
});

it('saves under the extension of the content, beside the original, and never twice under one name', () => {
  expect(downloadName('photo.JPEG', JPG)).toBe('photo-compressed.JPEG');
  expect(downloadName('really-a-jpeg.png', JPG)).toBe('really-a-jpeg-compressed.jpg');
  expect(downloadName('.hidden', PNG)).toBe('.hidden-compressed.png');
  expect(downloadName('a.b.png', PNG)).toBe('a.b-compressed.png');
  expect(downloadName('photo.jpg', WEBP)).toBe('photo-compressed.webp');
  expect(downloadName('photo.jpg', undefined)).toBe('photo-compressed.jpg');
  expect(distinctNames(['a.jpg', 'A.jpg', 'a (2).jpg', 'a.jpg'])).toEqual([
    'a.jpg',
    'A (2).jpg',
    'a (2) (2).jpg',
    'a (3).jpg',
  ]);
});

it('shortens a long name in the middle, so that its number and extension stay in sight', () => {
  expect(nameParts('photo.jpg')).toEqual(['photo.jpg', '']);
  const [head, tail] = nameParts('PXL_20260412_101533482.MP.jpg');
  expect(head + tail).toBe('PXL_20260412_101533482.MP.jpg');
  expect(tail).toBe('2.MP.jpg');
});

it('knows the formats of packages from the service: a JPEG XL is named and saved as one', () => {
  const facts = { label: 'JPEG XL', mediaType: 'image/jxl', extensions: ['jxl'] } as const;
  const memory = { baseBytes: 0, bytesPerPixel: { opaque: 1, transparent: 1 } };
  const row = { ...facts, memory, signatures: [], owner: '/packages/jxl', isUpload: false };
  const { publicFacts } = Formats.builtIn.with('jxl', row) as Formats;
  const report = readReport((name) => (name === 'Content-Type' ? 'image/jxl' : null), publicFacts);
  expect(newFormatWords(JPG, report)).toBe('Now a JPEG XL');
  expect(downloadName('photo.jpg', report.format)).toBe('photo-compressed.jxl');
});

it('names the format of a result if the file has another one', () => {
  const report = { ...REPORT, format: WEBP };
  expect(newFormatWords(JPG, report)).toBe('Now a WebP');
  expect(newFormatWords(JPG, { ...report, format: AVIF })).toBe('Now an AVIF');
  expect(newFormatWords(WEBP, report)).toBeUndefined();
  expect(newFormatWords(JPG, REPORT)).toBeUndefined();
});

it('reads the report of an image from the headers of its response', () => {
  const headers = new Map([
    ['Content-Type', 'image/png'],
    ['X-Original-Size', '1000'],
    ['X-Compressed-Size', '1200'],
    ['X-Bytes-Saved', '0'],
    ['X-Removed', 'motion-video, other-pictures'],
    ['X-SSIM', '1.0000'],
    ['X-Max-Error', '0'],
    ['X-JPEG-Estimate', '400'],
    ['X-Original-Dimensions', '5120x2880'],
    ['X-Dimensions', '3840x2160'],
    ['Server-Timing', 'queue;dur=0.1, decode;dur=12.0'],
  ]);
  const report = readReport((name) => headers.get(name) ?? null, FORMATS_OF_PAGE);
  expect(report).toEqual({
    format: PNG,
    originalSize: 1000,
    compressedSize: 1200,
    bytesSaved: 0,
    removed: ['motion-video', 'other-pictures'],
    score: '1.0000',
    maxError: 0,
    jpegEstimate: 400,
    originalDimensions: { width: 5120, height: 2880 },
    dimensions: { width: 3840, height: 2160 },
    timings: [
      { stage: 'queue', ms: 0.1 },
      { stage: 'decode', ms: 12 },
    ],
  });
  expect(savingParts(report, {}, 3840)).toEqual({ text: 'Nothing saved' });
  expect(scalingWords(report)).toBe('5120 × 2880 → 3840 × 2160');
});

it.each([
  [{ score: '0.9914' }, 'Looks the same'],
  [{ score: '0.9913' }, 'Looks nearly the same'],
  [{ score: '0.9830' }, 'Looks nearly the same'],
  [{ score: '0.9829' }, 'Differences can be seen'],
  [{ score: '1.0000', maxError: 0 }, 'No pixel changed'],
  [{ score: '0.9990', maxError: 1 }, 'Looks the same'],
])('says of a result with %j: %s', (facts, words) => {
  expect(looksWords({ ...REPORT, ...facts }, { high: 0.9914, low: 0.983 })).toBe(words);
});

it('tells in the details how far any channel of a PNG may be from the original', () => {
  expect(largestChangeWords({ ...REPORT, maxError: 4 })).toBe(
    'No channel of any pixel changed by more than 4 of 255.',
  );
  expect(largestChangeWords({ ...REPORT, maxError: 0 })).toBeUndefined();
  expect(largestChangeWords(REPORT)).toBeUndefined();
});

it('says whether a result fits, and why it is smaller', () => {
  const report = { ...REPORT, dimensions: { width: 1920, height: 1080 } };
  expect(budgetWords(report)).toBeUndefined();
  expect(budgetWords({ ...report, budget: 'met' }, 200_000)).toBe('Fits 200 kB');
  expect(budgetWords({ ...report, budget: 'missed' }, 5000)).toBe(
    'Larger than 5 kB: nothing smaller is possible',
  );
  expect(scalingReason(report, {}, 1920)).toBe('Scaled down: this service returns at most 1920 px.');
  expect(scalingReason(report, { maxDimension: 1920, maxBytes: 9 }, 3840)).toBe(
    'Scaled down to the 1920 px that you chose.',
  );
  expect(scalingReason(report, { maxBytes: 200_000 }, 3840)).toBe('Scaled down to fit 200 kB.');
});

it('says what scaling cost, and that only the scaled image looks the same', () => {
  const originalDimensions = { width: 4608, height: 1976 };
  const dimensions = { width: 1935, height: 830 };
  const report = { ...REPORT, originalDimensions, dimensions, score: '0.9950' };
  const same = { ...report, dimensions: originalDimensions };
  expect(scalingLine(same, {}, 3840)).toBeUndefined();
  expect(scalingLine(report, {}, 1935)).toBe('Scaled down: 4608 × 1976 → 1935 × 830');
  expect(scalingLine(report, { maxBytes: 9 }, 3840)).toBe('4608 × 1976 → 1935 × 830');
  expect(scalingLine({ ...report, budget: 'met' }, { maxBytes: 9000 }, 3840)).toBe(
    '4608 × 1976 → 1935 × 830 to fit 9 kB',
  );
  expect(savingParts({ ...same, originalSize: 9, bytesSaved: 3 }, { maxBytes: 9 }, 9999)).toEqual({
    number: '33%',
    text: 'smaller',
  });
  expect(savingParts(report, { maxBytes: 9 }, 3840)).toEqual({
    number: '42%',
    text: 'of its width',
    isCostly: true,
  });
  const scores = { high: 0.9914, low: 0.983 };
  expect(looksWords(report, scores)).toBe('Looks the same at that size');
  expect(looksWords(same, scores)).toBe('Looks the same');
  expect(looksWords({ ...same, density: 2 }, scores)).toBe('Looks the same at half size, 2304 px wide');
  expect(looksWords({ ...report, density: 3 }, scores)).toBe(
    'Looks the same at a third of its size, 645 px wide',
  );
});

it('says what the service is looking for', () => {
  expect(searchWords({}, PNG, FORMATS_OF_PAGE)).toBe('Finding the smallest PNG that looks the same …');
  expect(searchWords({ format: 'webp' }, PNG, FORMATS_OF_PAGE)).toBe(
    'Finding the smallest WebP that looks the same …',
  );
  expect(searchWords({ format: 'auto' }, PNG, FORMATS_OF_PAGE)).toBe(
    'Finding the smallest format that looks the same …',
  );
  expect(searchWords({ maxBytes: 60_000 }, PNG, FORMATS_OF_PAGE)).toBe('Fitting it into 60 kB …');
});

it('names what was removed, and only that', () => {
  expect(removedWords([], [])).toBeUndefined();
  expect(removedWords([], ['location', 'camera data'])).toBe('Location and camera data');
  expect(removedWords(['motion-video', 'other-pictures'], ['other metadata'])).toBe(
    'Other metadata, its video and the further images in it',
  );
});

it('sums the list up, in the list and in the title of the tab', () => {
  const summary = {
    total: 30,
    done: 12,
    unchanged: 1,
    failed: 0,
    isFinished: false,
    progress: 0.4,
    originalSize: 1000,
    bytesSaved: 720,
    costly: 0,
  };
  expect(countWords(summary)).toBe('12 of 30 done');
  expect(countWords({ ...summary, failed: 3 })).toBe('12 of 30 done, 3 failed');
  expect(titleWords(summary, 'Images')).toBe('12 of 30 · Images');
  const finished = { ...summary, done: 22, failed: 3, isFinished: true };
  expect(countWords(finished)).toBe('22 done (1 unchanged), 3 failed');
  expect(titleWords(finished, 'Images')).toBe('✓ 72% smaller · 3 failed · Images');
  expect(titleWords({ ...summary, total: 0 }, 'Images')).toBe('Images');
  expect(totalWords(finished)).toBe('1 kB → 280 B in total');
  expect(totalWords({ ...finished, costly: 4 })).toBe('1 kB → 280 B in total, 4 with fewer pixels');
});

it('says before a drop what it will do', () => {
  const accepted = Formats.builtIn.accepting();
  expect(dropWords({ count: 0, others: 0 }, accepted)).toBe('Drop to compress');
  expect(dropWords({ count: 1, others: 0 }, accepted)).toBe('Drop to compress 1 image');
  expect(dropWords({ count: 5, others: 2 }, accepted)).toBe(
    'Drop to compress 3 images; 2 are not JPG or PNG',
  );
  expect(dropWords({ count: 2, others: 2 }, accepted)).toBe('Only JPG and PNG images can be compressed');
});

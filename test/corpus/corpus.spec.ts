/** Sends real images through the real service, if the corpus is present: see test/support/corpus.ts. */
import sharp from 'sharp';
import { corpusFiles as filesIn, hasCorpus as isThere, readCorpus as read } from '../support/corpus';
import { decodeIndependently } from '../support/images';
import { ssimulacra2Of } from '../support/judged';
import { expectProblemBody } from '../support/problem';
import { startService, type Service } from '../support/service';

/** SSIMULACRA2 of the worst result. JPGs are made for a median of 80; the worst of all measured ones has 78.4. */
const LEAST_JPG = 78;
const LEAST_PNG = 85;

/** The image as displayed by a viewer without colour management, upright. */
const shown = (bytes: Uint8Array) => sharp(bytes, { ignoreIcc: true, limitInputPixels: false }).autoOrient();

let service: Service;
let apiKey: string;
beforeAll(async () => {
  if (!isThere) return;
  service = await startService({ DEADLINE_MS: '120000' });
  ({ apiKey } = await service.signUp());
});
afterAll(async () => {
  if (isThere) await service.stop();
});

async function compressed(folder: string, file: string) {
  const source = read(folder, file);
  const response = await service.compress(source, apiKey);
  const body = Buffer.from(await response.arrayBuffer());
  return { source, response, body, header: (name: string) => response.headers.get(name) };
}

describe('photos and graphics', () => {
  const cases = ['photos', 'graphics'].flatMap((folder) => filesIn(folder).map((file) => [folder, file]));
  (isThere ? it.each(cases) : it.skip.each([['photos', '(no corpus)']]))('%s/%s', async (folder, file) => {
    const { source, response, body, header } = await compressed(folder, file);
    expect(response.status).toBe(200);
    const before = await shown(source).metadata();
    const longer = Math.max(before.width, before.height);
    const isScaled = longer > 3840;
    if (!isScaled) expect(body.length).toBeLessThanOrEqual(source.length);
    expect(header('x-bytes-saved')).toBe(String(Math.max(0, source.length - body.length)));

    const result = decodeIndependently(body);
    if (!isScaled && !header('x-skip-reason')) {
      const isPng = body[0] === 0x89;
      expect(await ssimulacra2Of(source, result)).toBeGreaterThanOrEqual(isPng ? LEAST_PNG : LEAST_JPG);
    }
    expect(header('x-dimensions')).toBe(`${result.width}x${result.height}`);
    expect(Math.max(result.width, result.height)).toBe(Math.min(longer, 3840));
    // Compares reduced versions over white, whose colours differ little after rotation or scaling.
    const coarse = async (image: sharp.Sharp) => {
      const { data, info } = await image
        .toColourspace('srgb')
        .flatten({ background: '#fff' })
        .raw()
        .toBuffer({ resolveWithObject: true });
      const { width, height, channels } = info;
      return sharp(data, { raw: { width, height, channels } })
        .resize(64, 64, { fit: 'fill' })
        .raw()
        .toBuffer();
    };
    const decoded = sharp(result.data, { raw: { width: result.width, height: result.height, channels: 4 } });
    const [a, b] = await Promise.all([coarse(shown(source)), coarse(decoded)]);
    const difference = Math.sqrt(a.reduce((sum, v, i) => sum + (v - b[i]) ** 2, 0) / a.length);
    expect(difference).toBeLessThan(4);
    const profile = async (bytes: Buffer) => (await sharp(bytes).metadata()).icc;
    const [profileBefore, profileAfter] = [await profile(source), await profile(body)];
    if (profileAfter) expect(profileAfter.equals(profileBefore!)).toBe(true);
    if (file.includes('displayp3')) expect(profileAfter).toBeDefined();

    // A result is returned unchanged when it is uploaded again.
    const again = await service.compress(body, apiKey);
    expect(again.headers.get('x-skip-reason')).toBe('already-optimised');
    expect(Buffer.from(await again.arrayBuffer()).equals(body)).toBe(true);
  });
});

/** Valid files in the folder of bad ones: unusual, but decoders agree about them. */
const FINE_AFTER_ALL = new Set([
  'bitflips-in-scan.jpg',
  'bomb-apng-4000x4000x100.png',
  'bomb-jpeg-flat-16000x16000.jpg',
  'bomb-png-iccp-64mb.png',
  'bomb-png-ztxt-100mb.png',
  'jpeg-bad-comment-length.jpg',
  'jpeg-huge-sof-number.jpg',
  'jpeg-invalid-adobe-ycc-gray.jpg',
  'jpeg-progressive-invalid-dht.jpg',
  'jpeg-sos-news.jpg',
  'lepton-trailingrst.jpg',
  'libpng-empty_ancillary_chunks.png',
  'mislabeled-jpeg-as.png',
  'mislabeled-png-as.jpg',
  'serenity-buggie.png',
  'serenity-oss-fuzz-testcase-63815.jpg',
  'trailing-zip.png',
]);

describe('broken and hostile files', () => {
  const cases = filesIn('bad');
  (isThere ? it.each(cases) : it.skip.each(['(no corpus)']))('bad/%s', async (file) => {
    const { response, body, header } = await compressed('bad', file);
    if (FINE_AFTER_ALL.has(file)) {
      expect(response.status).toBe(200);
      const { width, height } = await sharp(body, { limitInputPixels: false }).metadata();
      expect(header('x-dimensions')).toBe(`${width}x${height}`);
    } else {
      expect([400, 415, 422]).toContain(response.status);
      const problem = JSON.parse(body.toString()) as Record<string, unknown>;
      expectProblemBody(problem, response.status, String(problem['code']));
    }
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
  });
});

/** Sends images of the corpus, if it is present, through a service: see test/support/corpus.ts. */
import sharp from 'sharp';
import { corpusFiles, hasCorpus, readCorpus } from '../support/corpus';
import { decodeIndependently, rawImage, samplesOf } from '../support/images';
import { ssimulacra2Of } from '../support/judged';
import { type Account, bytesOf, ownServiceWithKey, type Service } from '../support/service';

/** SSIMULACRA2 of the worst result. JPGs are made for a median of 80; the worst of all measured ones has 78.4. */
const LEAST_JPG = 78;
const LEAST_PNG = 85;

const PATIENCE_MS = 600_000;

/** The image as displayed by a viewer without colour management, upright. */
const shown = (bytes: Uint8Array) => sharp(bytes, { ignoreIcc: true, limitInputPixels: false }).autoOrient();

type Compressed = Awaited<ReturnType<typeof compressed>>;

export function eachFile(
  folder: string,
  test: (file: string, result: Compressed, service: Service & Account) => Promise<void>,
) {
  if (!hasCorpus) return it.skip(`${folder}: no corpus`, () => undefined);
  const service = ownServiceWithKey({ DEADLINE_MS: String(PATIENCE_MS) });
  it.each(corpusFiles(folder))(
    `${folder}/%s`,
    async (file) => test(file, await compressed(service, readCorpus(folder, file)), service),
    PATIENCE_MS,
  );
}

/** The root-mean-square difference of samples. */
export const differenceOf = (a: Uint8Array, b: Uint8Array) =>
  Math.sqrt(a.reduce((sum, v, i) => sum + (v - b[i]) ** 2, 0) / a.length);

async function compressed({ send }: Account, source: Buffer) {
  const response = await send(source);
  const body = await bytesOf(response);
  return { source, response, body, header: (name: string) => response.headers.get(name) };
}

/** Tests that the images of a folder become smaller, look the same, and come back unchanged when they are uploaded again. */
export function becomeSmaller(folder: string) {
  eachFile(folder, async (file, { source, response, body, header }, { send }) => {
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
      const pixels = await samplesOf(image.toColourspace('srgb').flatten({ background: '#fff' }));
      return rawImage(pixels).resize(64, 64, { fit: 'fill' }).raw().toBuffer();
    };
    const decoded = rawImage({ ...result, channels: 4 });
    const [a, b] = await Promise.all([coarse(shown(source)), coarse(decoded)]);
    expect(differenceOf(a, b)).toBeLessThan(4);
    const profile = async (bytes: Buffer) => (await sharp(bytes).metadata()).icc;
    const [profileBefore, profileAfter] = [await profile(source), await profile(body)];
    if (profileAfter) expect(profileAfter).toEqual(profileBefore);
    if (file.includes('displayp3')) expect(profileAfter).toBeDefined();

    // A result is returned unchanged when it is uploaded again.
    const again = await send(body);
    expect(again.headers.get('x-skip-reason')).toBe('already-optimised');
    expect(await bytesOf(again)).toEqual(body);
  });
}

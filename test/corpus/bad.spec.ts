import sharp from 'sharp';
import { expectProblemBody, expectStatus } from '../support/responses';
import { eachFile } from './real-images';

/** Valid files in the folder of bad ones: unusual, but decoders agree about them. */
const FINE_AFTER_ALL = new Set([
  'bitflips-in-scan.jpg',
  'bomb-apng-4000x4000x100.png',
  'bomb-jpeg-flat-16000x16000.jpg',
  'bomb-png-iccp-64mb.png',
  'bomb-png-ztxt-100mb.png',
  'idat-too-much-data.png',
  'jpeg-bad-comment-length.jpg',
  'jpeg-huge-sof-number.jpg',
  'jpeg-invalid-adobe-ycc-gray.jpg',
  'jpeg-progressive-invalid-dht.jpg',
  'jpeg-sos-news.jpg',
  'lepton-trailingrst.jpg',
  'libpng-badadler.png',
  'libpng-empty_ancillary_chunks.png',
  'mislabeled-jpeg-as.png',
  'mislabeled-png-as.jpg',
  'serenity-buggie.png',
  'serenity-oss-fuzz-testcase-63815.jpg',
  'trailing-zip.png',
]);

eachFile('bad', async (file, { response, body, header }, service) => {
  if (FINE_AFTER_ALL.has(file)) {
    expect(response.status).toBe(200);
    const { width, height } = await sharp(body, { limitInputPixels: false }).metadata();
    expect(header('x-dimensions')).toBe(`${width}x${height}`);
  } else {
    expect([400, 415, 422]).toContain(response.status);
    const problem = JSON.parse(body.toString()) as Record<string, unknown>;
    expectProblemBody(problem, response.status, String(problem['code']));
  }
  await expectStatus(fetch(`${service.url}/health/ready`), 200);
});

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { checkRefusal, load } from '../target-tools.mjs';

const { FRAMING_BYTES, readMultipartImage } = load('compression/http/multipart-image.js');
const { Formats } = load('contract/formats.js');

const LIMITS = {
  maxBodyBytes: 4096,
  maxUploadBytes: 4096,
  framingBytes: FRAMING_BYTES,
  onBytes: () => undefined,
  formats: Formats.builtIn,
};
const PNG = '\x89PNG\r\n\x1a\n';
const part = (name, content, more = '') =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\n${more}\r\n${content}\r\n`;

export const seeds = () =>
  [
    `multipart/form-data; boundary=b\n${part('image', PNG)}--b--\r\n`,
    `multipart/form-data; boundary="b"\n${part('image', PNG, 'Content-Type: image/png\r\n')}${part('image', PNG)}--b--\r\n`,
    `multipart/form-data;boundary=b; charset=utf-8\npreamble\r\n${part('other', 'text', 'Content-Transfer-Encoding: base64\r\n')}--b--`,
    `multipart/form-data; boundary=b\n--b\r\nContent-Disposition: form-data; name=image\r\n\r\ntext\r\n--b--\r\n`,
    `multipart/form-data; boundary=b\n--b \t\r\nContent-Disposition: form-data; name=image\r\n\r\n${PNG}\r\n--b--\r\n`,
    `multipart/form-data; boundary=b\n--b\r\nContent-Disposition: form-data; name="image"; filename*=UTF-8''%41.png\r\n\r\n${PNG}\r\n--b--\r\n`,
  ].flatMap((text) => ['\0', '\x07'].map((cut) => Buffer.from(cut + text, 'latin1')));
export const words = [
  '\r\n--b',
  '--b--',
  'boundary=',
  'filename="',
  'name="image"',
  'Content-Disposition: form-data; ',
  'Content-Type: ',
  PNG,
];

/** The first byte is the size of the pieces; then the content type, a line feed, and the body. */
export async function fuzz(data) {
  const [size = 0] = data;
  const lineEnd = data.indexOf(10);
  const head = data.toString('latin1', 1, lineEnd < 0 ? data.length : lineEnd);
  const body = lineEnd < 0 ? Buffer.alloc(0) : data.subarray(lineEnd + 1);
  const req = Object.assign(new EventEmitter(), { headers: { 'content-type': head }, complete: true });
  const reading = readMultipartImage(req, {}, LIMITS).then(
    ({ image }) => {
      assert(LIMITS.formats.isUpload(image), 'A file that is no image was accepted.');
      assert(body.includes(image));
    },
    (error) => checkRefusal(error),
  );
  for (let at = 0; at < body.length; at += size || body.length)
    req.emit('data', body.subarray(at, at + (size || body.length)));
  req.emit('end');
  // With some malformed parts, the reader waits for a second before it refuses them; not here.
  await Promise.race([reading, new Promise((resolve) => setImmediate(() => setImmediate(resolve)))]);
}

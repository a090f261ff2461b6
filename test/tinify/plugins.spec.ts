/**
 * Requests of plug-ins for build tools, written after the sources of tinypng-cli 0.0.7, gulp-tinypng-extended 3.0.3 and
 * grunt-tinypng 0.7.0. They stream files without a length, do not check certificates, and request the URLs of a response as they are.
 */
import { request } from 'node:https';
import { photoJpeg } from '../support/images';
import { ARTIST, fullJpeg } from '../support/metadata-files';
import { startService, type Service } from '../support/service';
import { hasOpenssl } from '../support/services';
import { basic } from '../support/tinify';
import { startTlsProxy, type TlsProxy } from '../support/tls-proxy';

interface Answer {
  readonly status: number | undefined;
  readonly location: string | undefined;
  readonly body: Buffer;
}

(hasOpenssl() ? describe : describe.skip)('plug-ins of build tools, over TLS', () => {
  let service: Service;
  let proxy: TlsProxy;
  let apiKey: string;
  let photo: Buffer;
  beforeAll(async () => {
    service = await startService({ TINIFY_API: 'on', TRUST_PROXY: 'loopback' });
    proxy = await startTlsProxy(service.port);
    ({ apiKey } = await service.signUp());
    photo = await photoJpeg(320, 240);
  });
  afterAll(async () => {
    await proxy.stop();
    await service.stop();
  });

  function send(
    method: string,
    url: string,
    headers: Record<string, string>,
    body?: Buffer,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const req = request(url, { method, headers, rejectUnauthorized: false, agent: false }, (res) => {
        const pieces: Buffer[] = [];
        res.on('data', (piece: Buffer) => pieces.push(piece));
        res.once('end', () => {
          const { location } = res.headers;
          resolve({ status: res.statusCode, location, body: Buffer.concat(pieces) });
        });
      });
      req.on('error', reject);
      if (body) req.write(body);
      req.end();
    });
  }
  const urlIn = ({ body }: Answer) => (JSON.parse(body.toString()) as { output: { url: string } }).output.url;
  const isJpeg = ({ body }: Answer) => body.subarray(0, 3).toString('hex') === 'ffd8ff';

  it('tinypng-cli: a stream without a length, then the URL of the body without credentials', async () => {
    const Authorization = basic(apiKey);
    const uploaded = await send('POST', `${proxy.url}/shrink`, { Authorization }, photo);
    expect(uploaded.status).toBe(201);
    const result = await send('GET', urlIn(uploaded), {});
    expect([result.status, isJpeg(result)]).toEqual([200, true]);
    const commands = Buffer.from(JSON.stringify({ resize: { width: 32 } }));
    const json = {
      Authorization,
      'Content-Type': 'application/json',
      'Content-Length': String(commands.length),
    };
    expect((await send('GET', urlIn(uploaded), json, commands)).status).toBe(200);
  });

  it('the location works unchanged in grunt-tinypng', async () => {
    const uploaded = await send('POST', `${proxy.url}/shrink`, { Authorization: basic(apiKey) }, photo);
    expect(uploaded.location).toBe(urlIn(uploaded));
    const result = await send('GET', uploaded.location ?? '', {});
    expect([result.status, isJpeg(result)]).toEqual([200, true]);
  });

  it('gulp-tinypng-extended: commands with GET and a body to the location as it is', async () => {
    const Authorization = basic(apiKey);
    const form = {
      Authorization,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(fullJpeg(photo, 1, 320, 240).length),
    };
    const uploaded = await send('POST', `${proxy.url}/shrink`, form, fullJpeg(photo, 1, 320, 240));
    const commands = Buffer.from(JSON.stringify({ preserve: ['copyright'] }));
    const json = {
      Authorization,
      'Content-Type': 'application/json',
      'Content-Length': String(commands.length),
    };
    const result = await send('GET', uploaded.location ?? '', json, commands);
    expect([result.status, isJpeg(result), result.body.includes(ARTIST)]).toEqual([200, true, true]);
  });
});

/** The same visit to apps of others, directly and through the guard: only images differ, and what states their lengths. */
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts, untilListening } from '../deployment/tools';
import { temporaryFolder } from '../support/folders';
import { decodeIndependently, difference, graphicPng, photoJpeg } from '../support/images';
import { isAvailable } from '../support/services';
import { run, Visitor, type App, type Exchange } from './apps/app';
import { dokuwiki } from './apps/dokuwiki';
import { mediawiki } from './apps/mediawiki';
import { webdav } from './apps/webdav';
import { wordpress } from './apps/wordpress';
import { Guard, PATIENT } from './guarded';

const APPS = { WordPress: wordpress, MediaWiki: mediawiki, DokuWiki: dokuwiki, "nginx's WebDAV": webdav };

/** They belong to a connection. MediaWiki states a length only in some responses, with or without the guard. */
const UNEQUAL_HEADERS = /^(connection|keep-alive|transfer-encoding|content-length)$/i;
const MASKED_HEADERS = /^(content-range|etag)$/i;
const HTTP_TIMES = /\w{3}, \d\d[ -]\w{3}[ -]\d{4} [\d:]{8} GMT/g;
const UNIX_TIMES = /\b1[789]\d{8}\b/g;
const MOST_DIFFERENCE = 6;

const isShown = ({ status, text }: Exchange) => status === 200 && /^(\xff\xd8|\x89PNG)/.test(text);

/** What a client sees, but for what differs between two visits anyway. */
function seen(exchange: Exchange, varying: readonly RegExp[]) {
  const patterns = [HTTP_TIMES, UNIX_TIMES, ...varying];
  const masked = (text: string) => patterns.reduce((rest, pattern) => rest.replace(pattern, '*'), text);
  const headers = exchange.headers
    .filter(([name]) => !UNEQUAL_HEADERS.test(name))
    .map(([name, value]) => `${name}: ${MASKED_HEADERS.test(name) ? '*' : masked(value)}`);
  const head = { asked: masked(exchange.asked), status: exchange.status, headers };
  if (!isShown(exchange)) return { ...head, body: masked(exchange.text) };
  const { width, height } = decodeIndependently(exchange.body);
  return { ...head, body: `${width} × ${height} px` };
}

async function visit(
  app: App,
  folder: string,
  port: number,
  images: Parameters<App['script']>[1],
  isGuarded: boolean,
) {
  rmSync(join(folder, 'state'), { recursive: true, force: true });
  run('cp', '-a', join(folder, 'snapshot'), join(folder, 'state'));
  const server = app.start(folder, port);
  const ended = once(server, 'exit');
  await untilListening(port);
  const url = `http://127.0.0.1:${port}`;
  const guard = isGuarded ? await Guard.before(url, ...PATIENT, ...(app.guardOptions ?? [])) : undefined;
  const visitor = new Visitor(guard?.url ?? url);
  try {
    await app.script(visitor, images);
  } finally {
    await guard?.end();
    server.kill();
    await ended;
  }
  return { exchanges: visitor.exchanges, uploads: (await guard?.end()) ?? [] };
}

describe.each(Object.entries<App>(APPS))('%s', (name, app) => {
  const missing = app.needs.find((file) => !existsSync(file));
  const isThere = isAvailable(
    missing === undefined && (app.isReady?.() ?? true),
    `${missing ?? 'a service'} for ${name}`,
  );

  (isThere ? it : it.skip)('shows the same through the guard, with smaller images', async () => {
    const folder = temporaryFolder();
    const images = {
      photo: await photoJpeg(1200, 900, { orientation: 1 }),
      graphic: graphicPng(600, 400),
      chunked: await photoJpeg(700, 500),
    };
    // Pages and cookies depend on the port.
    const [port] = await freePorts(1);
    try {
      app.install(folder);
      const { exchanges: direct } = await visit(app, folder, port, images, false);
      const { exchanges: guarded, uploads } = await visit(app, folder, port, images, true);
      expect(direct.length).toBeLessThanOrEqual(30);
      const [expected, actual] = [direct, guarded].map((all) => all.map((one) => seen(one, app.varying)));
      expect(actual).toEqual(expected);
      expect(uploads.filter(({ smaller }) => smaller === 1).map(({ path }) => path)).toEqual(app.smaller);
      for (const [i, one] of direct.entries()) if (isShown(one)) expectSmaller(one, guarded[i].body);
    } finally {
      app.remove?.();
    }

    function expectSmaller({ asked, body }: Exchange, result: Buffer) {
      if (app.untouched?.test(asked)) return expect(result).toEqual(body);
      expect(difference(result, body)).toBeLessThan(MOST_DIFFERENCE);
      const isUpload = Object.values(images).some((image) => image.equals(body));
      if (isUpload) expect(result.length).toBeLessThan(body.length * 0.8);
      // A thumbnail differs because it was made from the smaller file.
      if (!isUpload && asked.includes('.jpg')) expect(result).not.toEqual(body);
    }
  });
});

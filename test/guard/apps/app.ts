/** What the apps have in common: how they are installed, started and visited. Nobody here wrote them: they are Debian's. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pairs } from '../../../src/guard/heads';

export interface App {
  /** Files that are there if it is installed. */
  readonly needs: readonly string[];
  /** Whether its database server is reached. */
  isReady?(): boolean;
  /** Fills a folder. Its `snapshot` is what every run has as `state` at its beginning. */
  install(folder: string): void;
  start(folder: string, port: number): ChildProcess;
  remove?(): void;
  readonly guardOptions?: readonly string[];
  /** At most 30 requests. */
  script(visitor: Visitor, images: Record<'photo' | 'graphic' | 'chunked', Buffer>): Promise<void>;
  /** The paths of the uploads with an image that becomes smaller. */
  readonly smaller: readonly string[];
  /** Images that are stored as they came. */
  readonly untouched?: RegExp;
  /** What differs between two runs without the guard, and what states lengths. */
  readonly varying: readonly RegExp[];
}

export interface Exchange {
  readonly asked: string;
  readonly status: number;
  readonly headers: readonly [string, string][];
  readonly body: Buffer;
  /** Latin-1. */
  readonly text: string;
}

/** The same with and without the guard, so that addresses in pages are the same, too. */
const HOST = 'photos.example';

export class Visitor {
  readonly exchanges: Exchange[] = [];
  private readonly cookies = new Map<string, string>();

  constructor(private readonly url: string) {}

  get = (path: string) => this.ask('GET', path);

  /** @param pattern of addresses in a page */
  async getEach(page: Exchange, pattern: RegExp) {
    for (const address of new Set(page.text.match(pattern)))
      await this.get(address.replaceAll('&amp;', '&').replace(`http://${HOST}`, ''));
  }

  /** Sends a form. @param fields as in a query, but not encoded */
  post(path: string, fields: string, files: Record<string, readonly [string, Buffer]> = {}, headers = {}) {
    const form = new FormData();
    for (const [, name, value] of fields.matchAll(/([^=&]+)=([^&]*)/g)) form.append(name, value);
    for (const [field, [name, bytes]] of Object.entries(files))
      form.append(field, new File([bytes], name, { type: `image/${name.endsWith('png') ? 'png' : 'jpeg'}` }));
    return this.ask('POST', path, headers, new Response(form));
  }

  async ask(method: string, path: string, headers: object = {}, body: Buffer | Response = Buffer.alloc(0)) {
    const bytes = body instanceof Response ? Buffer.from(await body.arrayBuffer()) : body;
    const type = body instanceof Response ? { 'content-type': body.headers.get('content-type') ?? '' } : {};
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const own = { host: HOST, cookie, 'content-length': bytes.length, ...type };
    const sent = request(this.url + path, { method, agent: false, headers: { ...own, ...headers } });
    const [res] = (await once(sent.end(bytes), 'response')) as [IncomingMessage];
    for (const set of res.headers['set-cookie'] ?? []) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.cookies.set(name, value);
    }
    const received = await buffer(res);
    const [status = 0, text] = [res.statusCode, received.toString('latin1')];
    const exchange = {
      asked: `${method} ${path}`,
      status,
      headers: pairs(res.rawHeaders),
      body: received,
      text,
    };
    this.exchanges.push(exchange);
    return exchange;
  }
}

/** The first group of a pattern in a page. */
export function find({ asked, status, text }: Exchange, pattern: RegExp) {
  const found = pattern.exec(text);
  if (!found) throw new Error(`${asked}: ${status}, no ${pattern} in ${text.slice(0, 1000)}`);
  return found[1];
}

const SETTINGS = ['display_errors=0', 'opcache.enable_cli=1', 'post_max_size=40M', 'upload_max_filesize=20M'];
const flags = [...SETTINGS, 'date.timezone=UTC', 'sendmail_path=/bin/true'].flatMap((one) => ['-d', one]);

/** @param router PHP code that answers a request, or returns false if PHP shall serve the file */
export function servePhp(root: string, folder: string, port: number, router: string, env = {}) {
  writeFileSync(join(folder, 'router.php'), `<?php\n${router}`);
  const args = [...flags, '-S', `127.0.0.1:${port}`, '-t', root, join(folder, 'router.php')];
  return spawn('php', args, { cwd: root, env: { ...process.env, ...env }, stdio: 'ignore' });
}

export function run(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stdout}${stderr}`);
  return stdout;
}

export const runPhp = (code: string) => run('php', ...flags, '-r', code);

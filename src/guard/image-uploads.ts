/**
 * Makes the images of an upload smaller: finds them, has them compressed, and replaces only their bytes. Whatever is unknown, refused,
 * late or at risk stays as it came; the log says why.
 */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { CompressionRunner } from '../compression/application/running/compression-runner.port';
import type { CompressionPolicy } from '../compression/domain/compression-policy';
import { sameSize } from '../compression/domain/dimensions';
import { TAG } from '../compression/formats/exif';
import { TiffReader } from '../compression/formats/tiff';
import type { Formats } from '../contract/formats';
import { Problem } from '../contract/problem';
import type { Report } from '../contract/report';
import { clientOf, hasBody, pairs } from './heads';
import type { HeldBodies, HeldBody } from './held-bodies';
import { delimiterOf, splitParts, type Part } from './multipart';
import type { OutgoingBody } from './proxy';
import { descriptionsIn, untouchable, untouchablePart, untouchableText } from './untouchable';

export interface UploadRules {
  /** Of the requests whose images are compressed; one that ends in `/` stands for all below it. All if empty. */
  readonly paths: readonly string[];
  /** Whether the images of clients behind a proxy take turns by the address that it names. */
  readonly trustsProxy: boolean;
  /** Whether images that are sent with `PUT` are compressed, too. */
  readonly takesPut: boolean;
  /** For the images of a request, from its last byte on. */
  readonly waitMs: number;
  readonly policy: CompressionPolicy;
  readonly formats: Formats;
  /** Compresses and logs, but passes the original. */
  readonly isDryRun: boolean;
}

/** One line of the log. Nothing in it comes from a body, a query or the value of a header. */
export interface UploadRecord {
  readonly method: string;
  readonly path: string;
  readonly images: number;
  readonly smaller: number;
  /** Of the images, in bytes. */
  readonly before: number;
  readonly after: number;
  /** How many images that went upstream state where they were taken. */
  readonly withPosition: number;
  readonly ms: number;
  /** Why images passed as they came, each reason once. */
  readonly passed: readonly string[];
}

/** An image in a body: the head of its part, if it has one, and its bytes. */
type Found = Pick<Part, 'headAt' | 'start' | 'end'>;

interface Outcome {
  /** Absent if the original passes. */
  readonly bytes?: Uint8Array;
  readonly why?: string;
}

const NOTHING_HELD = { pieces: [], release: () => undefined };
/** All besides the images is searched for lengths and digests in this process. */
const MAX_SEARCHED_BYTES = 1024 * 1024;
const MAX_LOGGED_PATH = 200;
const FORM_WITHOUT_IMAGES = 'form without images';

export class ImageUploads {
  constructor(
    private readonly rules: UploadRules,
    private readonly held: HeldBodies,
    private readonly runner: CompressionRunner,
    private readonly record: (upload: UploadRecord) => void,
  ) {}

  /** The body that goes upstream; undefined once the client has disconnected. */
  async take(req: IncomingMessage, res: ServerResponse): Promise<OutgoingBody | undefined> {
    if (!this.mayHaveImages(req)) return { pieces: [], isRead: !hasBody(req) };
    const startedAt = performance.now();
    const why = untouchable(req);
    const body = why === undefined ? await this.held.hold(req, res) : { ...NOTHING_HELD, fault: why };
    if (!body) return undefined;
    const { pieces, release, fault } = body;
    if (fault === undefined) return this.compressed(req, res, body, startedAt);
    this.log(req, startedAt, [], [{ why: fault }]);
    // The last piece may be the one that did not fit.
    return { pieces, release, isRead: req.readableEnded };
  }

  private mayHaveImages(req: IncomingMessage) {
    const { method, url = '', headers } = req;
    const path = pathOf(url);
    const { paths, takesPut } = this.rules;
    const isMeant = paths.some((one) => (one.endsWith('/') ? path.startsWith(one) : path === one));
    if (!hasBody(req) || (paths.length > 0 && !isMeant)) return false;
    const type = headers['content-type'] ?? '';
    if (method === 'POST') return /^(multipart\/form-data|image\/|application\/octet-stream)/i.test(type);
    return method === 'PUT' && takesPut && /^image\//i.test(type);
  }

  private async compressed(req: IncomingMessage, res: ServerResponse, body: HeldBody, startedAt: number) {
    const whole = Buffer.concat(body.pieces);
    const unchanged = { pieces: [whole], release: body.release, isRead: true };
    try {
      const pieces = await this.withSmallerImages(req, res, whole, startedAt);
      return pieces
        ? { ...unchanged, pieces, changedTo: sum(pieces.map(({ length }) => length)) }
        : unchanged;
    } catch {
      // A fault of the guard costs nobody the upload.
      this.log(req, startedAt, [], [{ why: 'failed' }]);
      return unchanged;
    }
  }

  /** Returns the changed body in pieces; undefined if it passes as it came. */
  private async withSmallerImages(
    req: IncomingMessage,
    res: ServerResponse,
    whole: Buffer,
    startedAt: number,
  ): Promise<readonly Uint8Array[] | undefined> {
    const found = findImages(req, whole, this.rules.formats);
    if (typeof found === 'string') {
      // Every login is one.
      if (found !== FORM_WITHOUT_IMAGES) this.log(req, startedAt, [], [{ why: found }]);
      return undefined;
    }
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    // One for each image.
    setMaxListeners(0, gone.signal);
    const { trustsProxy, waitMs, isDryRun } = this.rules;
    const options = {
      account: clientOf(req, trustsProxy),
      deadlineAt: performance.now() + waitMs,
      signal: gone.signal,
    };
    const files = found.images.map(({ start, end }) => whole.subarray(start, end));
    const isDescribed = descriptionsIn(found.text);
    const outcomes = await Promise.all(
      files.map(async (image): Promise<Outcome> => {
        // Each in a turn of its own, so that others are served in between.
        await setImmediate();
        if (isDescribed(image)) return { why: 'described elsewhere' };
        const outcome = await this.compress(image, options);
        const isSplit = found.delimiter && Buffer.from(outcome.bytes ?? []).includes(found.delimiter);
        return isSplit ? { why: 'contains the delimiter' } : outcome;
      }),
    );
    if (gone.signal.aborted) return undefined;
    this.log(req, startedAt, files, outcomes);
    const isChanged = !isDryRun && outcomes.some(({ bytes }) => bytes);
    return isChanged ? withResults(whole, found.images, outcomes) : undefined;
  }

  private async compress(
    image: Buffer,
    options: { readonly account: string; readonly deadlineAt: number; readonly signal: AbortSignal },
  ): Promise<Outcome> {
    try {
      const { policy, formats } = this.rules;
      const { bytes, report } = await this.runner.run({ kind: 'compress', image, policy }, options);
      const why = riskOf(report, formats.bySignature(image));
      return why === undefined ? { bytes } : { why };
    } catch (error) {
      return { why: error instanceof Problem ? error.code : 'failed' };
    }
  }

  private log(
    { method = '', url = '' }: IncomingMessage,
    startedAt: number,
    images: readonly Buffer[],
    outcomes: readonly Outcome[],
  ) {
    const saved = outcomes.map(({ bytes }, i) => (bytes ? images[i].length - bytes.length : 0));
    const before = sum(images.map(({ length }) => length));
    this.record({
      method,
      path: pathOf(url).slice(0, MAX_LOGGED_PATH),
      images: images.length,
      smaller: outcomes.filter(({ bytes }) => bytes).length,
      before,
      after: before - sum(saved),
      withPosition: images.filter(statesPosition).length,
      ms: Math.round(performance.now() - startedAt),
      passed: [...new Set(outcomes.flatMap(({ why }) => (why === undefined ? [] : [why])))],
    });
  }
}

/** Without the query, which may hold secrets. */
const pathOf = (url: string) => url.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[?#].*/s, '');

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Returns why a result would cost more than bytes; undefined if nothing of the image goes. */
function riskOf({ skipReason, removed, format, originalDimensions, dimensions }: Report, uploaded?: string) {
  if (skipReason !== undefined) return skipReason;
  if (removed !== undefined && removed.length > 0) return `would lose ${removed.join(', ')}`;
  if (format !== uploaded) return 'other format';
  return sameSize(originalDimensions, dimensions) ? undefined : 'other dimensions';
}

/** Returns the images of a body, and all of the request besides them as text; or why nothing of it is touched. */
function findImages(req: IncomingMessage, body: Buffer, formats: Formats) {
  if (req.rawTrailers.length > 0) return 'trailers';
  const type = req.headers['content-type'] ?? '';
  const isForm = /^multipart\//i.test(type);
  const delimiter = isForm ? delimiterOf(type) : undefined;
  const parts = isForm ? delimiter && splitParts(body, delimiter) : [];
  if (!parts) return 'unclear form';
  const untouched = parts.map(({ headers }) => untouchablePart(headers)).find((why) => why !== undefined);
  if (untouched !== undefined) return untouched;
  const isImage = ({ start, end }: Found) => formats.isUpload(body.subarray(start, end));
  const images: readonly Found[] = isForm
    ? parts.filter((part) => isFile(part) && isImage(part))
    : [{ headAt: 0, start: 0, end: body.length }].filter(isImage);
  if (images.length === 0) return isForm ? FORM_WITHOUT_IMAGES : 'no image';
  const others = parts.filter((part) => !images.includes(part));
  const heads = parts.flatMap(({ headers }) => [...headers]);
  const described = [...pairs(req.rawHeaders), ...heads].filter(([name]) => !OF_FRAMING.test(name));
  const words = [req.url ?? '', ...described.map(([, value]) => value)];
  const lengths = [...words.map(({ length }) => length), ...others.map(({ start, end }) => end - start)];
  if (sum(lengths) > MAX_SEARCHED_BYTES) return 'much besides images';
  const text = [...words, ...others.map(({ start, end }) => body.toString('latin1', start, end))].join('\n');
  return untouchableText(text) ?? { images, text, delimiter };
}

/** They state the length of a body, and its delimiter. */
const OF_FRAMING = /^content-(length|type)$/i;

const isFile = ({ headers }: Part) => /;\s*filename\*?\s*=/i.test(headers.get('content-disposition') ?? '');

/** Returns the body in pieces, with results in place of images, and the lengths that their parts may state. */
function withResults(body: Buffer, images: readonly Found[], outcomes: readonly Outcome[]) {
  let at = 0;
  const pieces = images.flatMap(({ headAt, start, end }, i) => {
    const { bytes } = outcomes[i];
    if (!bytes) return [];
    const head = body.toString('latin1', headAt, start);
    const changed = head.replace(/^(content-length:[ \t]*)\d+/im, `$1${bytes.length}`);
    const before = body.subarray(at, headAt);
    at = end;
    return [before, Buffer.from(changed, 'latin1'), bytes];
  });
  return [...pieces, body.subarray(at)];
}

/** Where EXIF begins, in JPG, PNG and WebP: a word, and the bytes between it and the TIFF header. */
const EXIF_STARTS = [
  ['Exif\0\0', 0],
  ['eXIf', 0],
  ['EXIF', 4],
] as const;

/** Whether EXIF or XMP state where an image was taken. For the log: what it misses does no harm. */
function statesPosition(image: Buffer) {
  const isInExif = EXIF_STARTS.some(([word, gap]) => {
    const at = image.indexOf(word);
    const reader = at < 0 ? undefined : TiffReader.open(image.subarray(at + word.length + gap));
    return reader?.directory().entries.has(TAG.gps);
  });
  return isInExif || image.includes('exif:GPSLatitude');
}

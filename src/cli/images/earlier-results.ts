/**
 * Remembers which result each recipe made of which input, so that a second run compresses only what is
 * missing or has changed. The file in the user's cache folder has digests and reports, no names and no
 * pixels. A record counts only while input and result have these digests; commands that run at the same time
 * append to the same file, each record in one write.
 */
import { createHash } from 'node:crypto';
import { constants, statSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { CompressionPolicy } from '../../compression/domain/compression-policy';
import type { Report } from '../../contract/report';
import { VERSION } from '../../environment/version';
import type { ImageSettings } from '../options';
import { makeFolder } from '../../files/within-folder';
import { writeWhole } from '../../files/whole-file';
import { WORKER_PROCESS } from '../../compression/infrastructure/process/spawn-worker';

export type RememberedReport = Omit<Report, 'timings' | 'encodes'>;

export interface EarlierResult {
  /** Of the input if the file stayed unchanged. */
  readonly resultDigest: string;
  readonly report: RememberedReport;
}

/** Members of a report that concern one run only. */
const PASSING = new Set(['timings', 'encodes']);
/** Hexadecimal digits: 128 bits. */
const DIGEST_LENGTH = 32;
const MOST_RECORDS = 50_000;
const PRIVATE = 0o600;
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
/** A link in the place of the file is not followed: then nothing is remembered. */
const APPEND = O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW;

export function computeDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_LENGTH);
}

export class EarlierResults {
  private readonly recipe: string;

  private constructor(
    private readonly file: string,
    private readonly codecs: readonly unknown[],
    policy: CompressionPolicy,
    private readonly lines: Map<string, string>,
  ) {
    // A new build may compress differently under the same version.
    this.recipe = JSON.stringify([VERSION, statSync(WORKER_PROCESS).mtimeMs, ...codecs, policy]);
  }

  /** A file that cannot be read counts as empty. */
  static async open({ policy, engine, formatModules }: ImageSettings): Promise<EarlierResults> {
    const file = join(cacheFolder(), 'results.txt');
    const text = await readFile(file, 'latin1').catch(() => '');
    const lines = text.split('\n').filter((line) => line.length > DIGEST_LENGTH);
    if (lines.length > 2 * MOST_RECORDS) {
      lines.splice(0, lines.length - MOST_RECORDS);
      const kept = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
      await writeWhole(file, kept).catch(() => undefined);
    }
    const byKey = lines.map((line) => [line.slice(0, DIGEST_LENGTH), line] as const);
    return new EarlierResults(file, [engine, formatModules], policy, new Map(byKey));
  }

  under(policy: CompressionPolicy): EarlierResults {
    return new EarlierResults(this.file, this.codecs, policy, this.lines);
  }

  /** Returns what the same recipe made of this input before; undefined if that is not known. */
  find(sourceDigest: string): EarlierResult | undefined {
    const line = this.lines.get(this.computeKey(sourceDigest));
    return line === undefined ? undefined : parsed(line.slice(DIGEST_LENGTH));
  }

  /** Without a writable cache folder nothing is remembered. */
  async add(sourceDigest: string, result: EarlierResult): Promise<void> {
    const json = JSON.stringify(result, (name, value: unknown) => (PASSING.has(name) ? undefined : value));
    const line = `${this.computeKey(sourceDigest)}${json}`;
    this.lines.set(this.computeKey(sourceDigest), line);
    await makeFolder(dirname(this.file))
      // Starts a new line, also after a record that was cut off.
      .then(() => appendFile(this.file, `\n${line}\n`, { mode: PRIVATE, flag: APPEND }))
      .catch(() => undefined);
  }

  private computeKey(sourceDigest: string) {
    return computeDigest(Buffer.from(`${this.recipe}\n${sourceDigest}`));
  }
}

function parsed(json: string) {
  try {
    const record = JSON.parse(json) as Partial<EarlierResult>;
    const isWhole = typeof record.resultDigest === 'string' && typeof record.report?.score === 'number';
    return isWhole ? (record as EarlierResult) : undefined;
  } catch {
    return undefined;
  }
}

function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  const byPlatform = { darwin: join(homedir(), 'Library', 'Caches'), win32: LOCALAPPDATA };
  const usual = byPlatform[process.platform as keyof typeof byPlatform] || join(homedir(), '.cache');
  // The specification of XDG wants relative ones ignored.
  const base = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : usual;
  return join(base, 'image-compression-service');
}

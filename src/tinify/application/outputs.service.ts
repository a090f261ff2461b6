import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { UnknownLookups } from '../../accounts/application/authenticator';
import type { CompressedImage } from '../../compression/domain/compression-report';
import { tooManyUnknownOutputs } from '../../contract/tinify-problems';
import { digestOfOutputId, newOutputId, OUTPUT_MS, type Output, type OutputPart } from '../domain/output';
import { OutputStore } from './output-store.port';

/** Each replica deletes expired outputs this often. */
const PURGE_INTERVAL_MS = 30_000;
/** At a time, so that SQLite does not block the event loop for long. */
const PURGED_AT_ONCE = 20;

/** Keeps outputs for an hour and deletes them afterwards. */
@Injectable()
export class OutputsService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(OutputsService.name);
  /** Look-ups of ids are limited like those of keys: anyone can guess ids, and each look-up is a query. */
  private readonly lookups = new UnknownLookups();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly store: OutputStore) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.purge(), PURGE_INTERVAL_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Returns the id of the new output; undefined if the store is full. */
  async keep(
    accountId: string,
    upload: Uint8Array,
    { bytes, report }: CompressedImage,
    now = new Date(),
  ): Promise<string | undefined> {
    const id = newOutputId();
    const isUnchanged = report.skipReason !== undefined;
    const output: Output = {
      digest: digestOfOutputId(id),
      accountId,
      expiresAt: new Date(now.getTime() + OUTPUT_MS),
      format: report.format,
      ...report.dimensions,
      uploadBytes: upload.length,
      resultBytes: isUnchanged ? 0 : bytes.length,
    };
    const isKept = await this.store.add(output, isUnchanged ? { upload } : { upload, result: bytes });
    if (!isKept) return undefined;
    this.lookups.remember(output.digest);
    return id;
  }

  /** Returns the output with this id unless it has expired. */
  find(id: string): Promise<Output | undefined> {
    return this.store.find(digestOfOutputId(id), new Date());
  }

  /**
   * The same for a client without a key.
   * @throws Problem `rate_limited` after many unknown ids
   */
  async findFor(address: string, id: string): Promise<Output | undefined> {
    const digest = digestOfOutputId(id);
    if (!this.lookups.begin(digest, address)) throw tooManyUnknownOutputs(this.lookups.waitSeconds());
    let outcome: 'valid' | 'unknown' | 'error' = 'error';
    try {
      const output = await this.store.find(digest, new Date());
      outcome = output ? 'valid' : 'unknown';
      return output;
    } finally {
      this.lookups.settle(digest, address, outcome);
    }
  }

  /** Yields the bytes of the upload, in pieces. */
  upload(output: Output): AsyncIterable<Uint8Array> {
    return this.store.read(output, 'upload');
  }

  /** Yields the bytes of the result, in pieces. */
  result(output: Output): AsyncIterable<Uint8Array> {
    const part: OutputPart = output.resultBytes === 0 ? 'upload' : 'result';
    return this.store.read(output, part);
  }

  private async purge(): Promise<void> {
    try {
      while ((await this.store.purge(new Date(), PURGED_AT_ONCE)) === PURGED_AT_ONCE);
    } catch (error) {
      this.logger.warn(`Expired outputs could not be deleted; the next attempt follows: ${String(error)}`);
    }
  }
}

/**
 * Outputs of Tinify's API: an upload and its result, which the client fetches with a second request, for up
 * to an hour. The id is the only credential of a download, so only its digest is stored.
 */
import { randomBytes } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { UnknownLookups } from '../../accounts/application/authenticator';
import { digestKey } from '../../accounts/domain/api-key';
import { CompressionUnavailable } from '../../compression/application/running/compression-runner.port';
import type { CompressedImage } from '../../compression/domain/compression-report';
import type { ResultFormatName } from '../../contract/formats';
import { tooManyUnknownOutputs } from '../../contract/tinify-problems';

/** How long an output can be fetched. */
export const OUTPUT_MS = 3_600_000;
/** Each replica deletes this often what has expired or exceeds the bounds of the store. */
const PURGE_INTERVAL_MS = 5_000;
/** Of a stored image; a download holds two of them. */
const PIECE_BYTES = 1024 * 1024;
/** Memory of a download: the piece that is being sent, and the next one. */
export const DOWNLOAD_BYTES = 2 * PIECE_BYTES;
/** 160 random bits: the id is all that a download needs. */
const ID_BYTES = 20;

export interface Output {
  /** SHA-256 of the id in hexadecimal; the id itself is not stored. */
  readonly digest: string;
  readonly accountId: string;
  readonly expiresAt: Date;
  /** Of the result, as its dimensions. */
  readonly format: ResultFormatName;
  readonly width: number;
  readonly height: number;
  readonly uploadBytes: number;
  readonly resultBytes: number;
}

export type OutputPart = 'upload' | 'result';

/** Stores outputs for all replicas. Every method may reject with AccountStoreUnavailable. */
export abstract class OutputStore {
  /** @param result undefined if it is the upload, which is then stored once */
  abstract add(output: Output, upload: Uint8Array, result: Uint8Array | undefined): Promise<void>;
  /** Returns the output unless it has expired; its bytes are read apart. */
  abstract find(digest: string, now: Date): Promise<Output | undefined>;
  /**
   * Returns `length` bytes of the upload or the result from a position. @throws Error if there are fewer: the
   * output has been deleted or cut off
   */
  abstract read(digest: string, part: OutputPart, from: number, length: number): Promise<Uint8Array>;
  /** Deletes outputs that have expired, and the oldest ones of an account, or of all, that exceed its share of the store. */
  abstract purge(now: Date): Promise<void>;
}

/** Keeps outputs and hands them out. Runs in the service process; pixels are never touched here. */
@Injectable()
export class OutputsService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(OutputsService.name);
  /** Look-ups of ids are limited like those of keys: anyone can guess ids, and each look-up is a query. */
  private readonly lookups = new UnknownLookups(tooManyUnknownOutputs);
  private timer: NodeJS.Timeout | undefined;
  /** The last read of each address that downloads. */
  private readonly reads = new Map<string, Promise<unknown>>();

  constructor(private readonly store: OutputStore) {}

  onModuleInit() {
    this.timer = setInterval(() => {
      this.store.purge(new Date()).catch((error: unknown) => {
        this.logger.warn(`Old outputs could not be deleted; the next attempt follows: ${String(error)}`);
      });
    }, PURGE_INTERVAL_MS).unref();
  }

  onModuleDestroy() {
    clearInterval(this.timer);
  }

  /** Stores an output and returns its id, the only copy of which the client gets. */
  async keep(accountId: string, upload: Uint8Array, { bytes, report }: CompressedImage): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const digest = digestKey(id);
    const output = {
      digest,
      accountId,
      expiresAt: new Date(Date.now() + OUTPUT_MS),
      format: report.format,
      ...report.dimensions,
      uploadBytes: upload.length,
      resultBytes: bytes.length,
    };
    await this.store.add(output, upload, report.skipReason === undefined ? bytes : undefined);
    this.lookups.remember(digest);
    return id;
  }

  /** For a client whose key was checked. */
  find(id: string): Promise<Output | undefined> {
    return this.store.find(digestKey(id), new Date());
  }

  /** For a client without a key. @throws Problem `rate_limited` after many unknown ids */
  findFor(address: string, id: string): Promise<Output | undefined> {
    return this.lookups.within(
      digestKey(id),
      address,
      () => this.find(id),
      (output) => output !== undefined,
    );
  }

  async readUpload({ digest, uploadBytes }: Output): Promise<Buffer> {
    return Buffer.from(await this.store.read(digest, 'upload', 0, uploadBytes));
  }

  /**
   * Yields the result in pieces of 1 MiB, so that a download holds two of them whatever the size.
   * @param address whose downloads read one piece at a time in total
   * @param hasLeft asked before each piece. @throws CompressionUnavailable `cancelled`
   */
  async *readResult(
    { digest, resultBytes }: Output,
    address: string,
    hasLeft: () => boolean,
  ): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < resultBytes; at += PIECE_BYTES)
      yield await this.inTurn(address, () => {
        if (hasLeft()) throw new CompressionUnavailable('cancelled');
        return this.store.read(digest, 'result', at, Math.min(PIECE_BYTES, resultBytes - at));
      });
  }

  private async inTurn<T>(address: string, work: () => Promise<T>) {
    const read = (this.reads.get(address) ?? Promise.resolve()).then(work);
    const end = read.catch(() => undefined);
    this.reads.set(address, end);
    try {
      return await read;
    } finally {
      if (this.reads.get(address) === end) this.reads.delete(address);
    }
  }
}

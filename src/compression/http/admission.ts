/**
 * Room for images: a place in the queue, and memory for uploads and results until the response closes. All of it is asked for by
 * `admit`: before the credentials, for the share of the account after them, and for memory as body and result arrive.
 */
import type { ServerResponse } from 'node:http';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Sharer } from '../../contract/caller';
import { draining } from '../../contract/service-problems';
import { exchangeOf, Lifecycle, sharerOf } from '../../http/requests';
import { CompressionUnavailable, CompressionRunner } from '../application/running/compression-runner.port';
import { CompressionSettings } from '../compression.settings';

/** The file, and its chunks until they are garbage collected: twenty concurrent uploads of 19 MB took 64 MB each. */
const COPIES = 2.4;
/** The share of one account, so that a single account cannot use all memory. */
const ACCOUNT_SHARE = 0.3;
/**
 * A network takes at most this many times the memory that it leaves free (dynamic thresholds, A. K. Choudhury and E. L. Hahne, 1998): the
 * first 4/5 of all, the next 4/5 of the rest, so that some is always free for another.
 */
const TIMES_FREE = 4;
const STEP_BYTES = 32 * 1024;
/** Per step that has arrived, so that most of a hundred simultaneous uploads are refused early, before memory is full. */
const STEPS_AHEAD = 3;

@Injectable()
export class Admission {
  usedBytes = 0;
  private readonly byNetwork = new Map<string, number>();
  private readonly byAccount = new Map<string, number>();
  private readonly capacityBytes: number;
  private readonly maxPerAccount: number;

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly runner: CompressionRunner,
    { memory: { uploadBytes }, maxUploadBytes }: CompressionSettings,
  ) {
    this.capacityBytes = uploadBytes;
    // Room for at least one upload of the largest size and its result.
    const share = Math.max(uploadBytes * ACCOUNT_SHARE, maxUploadBytes * (COPIES + 1));
    this.maxPerAccount = Math.min(uploadBytes, share);
  }

  /**
   * Reserves nothing, because a client can declare any length.
   * @param bytes in total, with those that the request holds
   * @param sharer without an account before the credentials
   * @param memory of a request whose body is arriving: it has been admitted to the queue
   * @throws Problem `draining`, or CompressionUnavailable `overloaded`
   */
  admit(bytes: number, sharer: Sharer, memory?: RequestMemory): void {
    if (sharer.account === undefined && this.lifecycle.isDraining) throw draining();
    const hasPlace = memory ? !memory.isReleased : this.runner.hasPlaceFor(sharer);
    const held = memory?.heldBytes ?? 0;
    const more = bytes - held;
    const { network = '', account = '' } = sharer;
    const free = this.capacityBytes - this.usedBytes - more;
    // Any size fits while no other request has memory: otherwise it would never fit.
    const fits =
      this.usedBytes === held ||
      (heldIn(this.byAccount, account) + more <= this.maxPerAccount &&
        heldIn(this.byNetwork, network) + more <= TIMES_FREE * free);
    if (!hasPlace || !fits) throw new CompressionUnavailable('overloaded', this.runner.promisePlace(sharer));
  }

  /**
   * Opens the memory of a request, which is released when the response closes.
   * @param bodyBytes of an upload, which needs a place in the queue; absent for a download
   * @throws CompressionUnavailable `overloaded`, or `cancelled` when the response has closed already
   */
  openFor(res: ServerResponse, sharer: Sharer, bodyBytes?: number): RequestMemory {
    if (bodyBytes !== undefined) this.admit(bodyBytes * COPIES, sharer);
    if (res.destroyed) throw new CompressionUnavailable('cancelled');
    const memory = new RequestMemory(this, sharer, bodyBytes);
    res.once('close', () => memory.release());
    return memory;
  }

  /** @param more negative for memory that is released */
  count(more: number, { network = '', account = '' }: Sharer): void {
    this.usedBytes += more;
    add(more, this.byNetwork, network);
    add(more, this.byAccount, account);
  }
}

const heldIn = (shares: ReadonlyMap<string, number>, key: string) => shares.get(key) ?? 0;

function add(more: number, shares: Map<string, number>, key: string) {
  const held = heldIn(shares, key) + more;
  if (held > 0) shares.set(key, held);
  else shares.delete(key);
}

/** The memory that one request holds for its upload and its result. */
export class RequestMemory {
  isReleased = false;
  private steps = 0;
  private uploadBytes = 0;
  private resultBytes = 0;

  constructor(
    private readonly admission: Admission,
    private readonly sharer: Sharer,
    private readonly maxBodyBytes = 0,
  ) {}

  get heldBytes(): number {
    return this.uploadBytes + this.resultBytes;
  }

  /** Counts what has arrived. @throws CompressionUnavailable `overloaded` */
  bodyHasGrownTo(bytes: number): void {
    const steps = Math.floor(bytes / STEP_BYTES) + 1;
    if (steps <= this.steps) return;
    this.steps = steps;
    const ahead = (steps - 1) * STEPS_AHEAD;
    const body = Math.min((steps + ahead) * STEP_BYTES, Math.max(this.maxBodyBytes, bytes));
    this.reserve(Math.ceil(body * COPIES), this.resultBytes);
  }

  /** @throws CompressionUnavailable `overloaded` */
  resultWillTake(bytes: number): void {
    this.reserve(this.uploadBytes, bytes);
  }

  releaseUpload(): void {
    this.reserve(0, this.resultBytes);
  }

  /** Releases everything; nothing can be reserved afterwards. Further calls do nothing. */
  release(): void {
    this.reserve(0, 0);
    this.isReleased = true;
  }

  private reserve(uploadBytes: number, resultBytes: number) {
    const more = uploadBytes + resultBytes - this.heldBytes;
    if (more > 0) this.admission.admit(uploadBytes + resultBytes, this.sharer, this);
    this.admission.count(more, this.sharer);
    this.uploadBytes = uploadBytes;
    this.resultBytes = resultBytes;
  }
}

/** The first check: refuses the request if the process cannot take another image. Reads no body and no database. */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(
    private readonly admission: Admission,
    private readonly settings: CompressionSettings,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { req } = exchangeOf(context);
    const declared = Number(req.headers['content-length'] ?? 0);
    // A body that is too large is refused later, with 413, however little memory is free.
    this.admission.admit(
      declared > this.settings.maxUploadBytes ? -Infinity : declared * COPIES,
      sharerOf(req),
    );
    return true;
  }
}

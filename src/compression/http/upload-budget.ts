/** The memory budget for uploads and results. Memory is reserved as an upload arrives and released after the response. */
import type { ServerResponse } from 'node:http';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { draining } from '../../contract/service-problems';
import { Lifecycle } from '../../http/requests';
import { CompressionUnavailable, CompressionRunner } from '../application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';

/**
 * Memory per byte of a body: the file, and its chunks until they are garbage collected. Twenty concurrent uploads of 19 MB
 * took 64 MB each, including results of up to 19 MB, which are reserved separately.
 */
const COPIES = 2.4;
/** The share of one account, so that a single account cannot use all memory. */
const ACCOUNT_SHARE = 0.3;
/** Uploads reserve memory in steps of this size. */
const STEP_BYTES = 32 * 1024;
/**
 * Steps reserved ahead for each step that has arrived; the first step reserves none. If a hundred uploads begin at once,
 * most are refused early, before their total fills the memory; and a client must send a quarter of the memory that
 * it reserves.
 */
const STEPS_AHEAD = 3;

@Injectable()
export class UploadBudget {
  /** Memory that requests have reserved, in bytes. */
  usedBytes = 0;
  private readonly bySharer = new Map<string, number>();
  private readonly capacityBytes: number;
  private readonly maxPerSharer: number;

  constructor(
    @Inject(COMPRESSION_SETTINGS) { memory: { uploadBytes }, maxUploadBytes }: CompressionSettings,
  ) {
    this.capacityBytes = uploadBytes;
    // Room for at least one upload of the largest size and its result.
    const share = Math.max(uploadBytes * ACCOUNT_SHARE, maxUploadBytes * (COPIES + 1));
    this.maxPerSharer = Math.min(uploadBytes, share);
  }

  /**
   * Returns whether a body of this length fits now. Reserves nothing, because a client can declare any length.
   * @param bodyBytes the declared length; a body larger than the whole budget fits if nothing else is reserved
   * @param sharer see sharerOf()
   */
  hasRoomFor(bodyBytes: number, sharer = ''): boolean {
    return this.fits(bodyBytes * COPIES, sharer);
  }

  /**
   * Returns the memory of one request; it is released when the response closes.
   * @param bodyBytes largest size of the body
   * @throws CompressionUnavailable `cancelled` when the response has closed: its `close` event will not fire again
   */
  openFor(res: ServerResponse, bodyBytes: number, sharer = ''): RequestMemory {
    if (res.destroyed) throw new CompressionUnavailable('cancelled');
    const memory = new RequestMemory(this, sharer, bodyBytes);
    res.once('close', () => memory.release());
    return memory;
  }

  /**
   * Changes the memory of one request. Returns false and changes nothing if it does not fit. Any size fits while no other request
   * has memory: otherwise it would never fit.
   */
  resize(sharer: string, from: number, to: number): boolean {
    const more = to - from;
    const isAlone = this.usedBytes === from;
    if (more > 0 && !isAlone && !this.fits(more, sharer)) return false;
    this.usedBytes += more;
    const held = (this.bySharer.get(sharer) ?? 0) + more;
    if (held > 0) this.bySharer.set(sharer, held);
    else this.bySharer.delete(sharer);
    return true;
  }

  private fits(bytes: number, sharer: string): boolean {
    if (this.usedBytes === 0) return true;
    const held = this.bySharer.get(sharer) ?? 0;
    return this.usedBytes + bytes <= this.capacityBytes && held + bytes <= this.maxPerSharer;
  }
}

/** The memory that one request has reserved. */
export class RequestMemory {
  private steps = 0;
  private uploadBytes = 0;
  private resultBytes = 0;
  private isReleased = false;

  constructor(
    private readonly budget: UploadBudget,
    private readonly sharer: string,
    private readonly maxBodyBytes: number,
  ) {}

  /**
   * Reserves memory for the bytes of the body that have arrived.
   * @throws CompressionUnavailable `overloaded` when there is not enough memory
   */
  bodyHasGrownTo(bytes: number): void {
    const steps = Math.floor(bytes / STEP_BYTES) + 1;
    if (steps <= this.steps) return;
    this.steps = steps;
    const ahead = (steps - 1) * STEPS_AHEAD;
    const body = Math.min((steps + ahead) * STEP_BYTES, Math.max(this.maxBodyBytes, bytes));
    this.reserve(Math.ceil(body * COPIES), this.resultBytes);
  }

  /**
   * Reserves memory for the result.
   * @throws CompressionUnavailable `overloaded` when there is not enough memory
   */
  resultWillTake(bytes: number): void {
    this.reserve(this.uploadBytes, bytes);
  }

  /** Releases the memory of the uploaded file. */
  releaseUpload(): void {
    this.reserve(0, this.resultBytes);
  }

  /** Releases everything; nothing can be reserved afterwards. Further calls do nothing. */
  release(): void {
    if (this.isReleased) return;
    this.reserve(0, 0);
    this.isReleased = true;
  }

  private reserve(uploadBytes: number, resultBytes: number): void {
    const held = this.uploadBytes + this.resultBytes;
    if (this.isReleased || !this.budget.resize(this.sharer, held, uploadBytes + resultBytes))
      throw new CompressionUnavailable('overloaded');
    this.uploadBytes = uploadBytes;
    this.resultBytes = resultBytes;
  }
}

/** The first check: refuses the request if the process cannot take another image. Reads no body and no database. */
@Injectable()
export class AdmissionGuard implements CanActivate {
  private readonly maxUploadBytes: number;

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly runner: CompressionRunner,
    private readonly budget: UploadBudget,
    @Inject(COMPRESSION_SETTINGS) { maxUploadBytes }: CompressionSettings,
  ) {
    this.maxUploadBytes = maxUploadBytes;
  }

  canActivate(context: ExecutionContext): boolean {
    if (this.lifecycle.isDraining) throw draining();
    const { headers } = context.switchToHttp().getRequest<Request>();
    const declared = Number(headers['content-length'] ?? 0);
    // A body that is too large is refused later, with 413.
    const hasRoom = declared > this.maxUploadBytes || this.budget.hasRoomFor(declared);
    if (!hasRoom || this.runner.state().isFull) throw new CompressionUnavailable('overloaded');
    return true;
  }
}

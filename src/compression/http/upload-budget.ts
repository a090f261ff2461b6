/** The memory budget for uploads and results. Memory is reserved as an upload arrives and released after the response. */
import type { ServerResponse } from 'node:http';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { draining } from '../../contract/service-problems';
import { Lifecycle } from '../../http/lifecycle';
import { CompressionUnavailable, CompressionRunner } from '../application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import { MemoryBudget, type MemoryClaim } from '../domain/memory-budget';

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
  readonly memory: MemoryBudget;

  constructor(
    @Inject(COMPRESSION_SETTINGS) { memory: { uploadBytes }, maxUploadBytes }: CompressionSettings,
  ) {
    // Room for at least one upload of the largest size and its result.
    const share = Math.max(uploadBytes * ACCOUNT_SHARE, maxUploadBytes * (COPIES + 1));
    this.memory = new MemoryBudget(uploadBytes, Math.min(uploadBytes, share));
  }

  /**
   * Returns whether a body of this length fits now. Reserves nothing, because a client can declare any length.
   * @param bodyBytes the declared length; a body larger than the whole budget fits if nothing else is reserved
   * @param sharer see sharerOf()
   */
  hasRoomFor(bodyBytes: number, sharer?: string): boolean {
    return this.memory.hasRoomFor(bodyBytes * COPIES, sharer);
  }

  /**
   * Returns the memory of one request; it is released when the response closes.
   * @param bodyBytes largest size of the body
   * @throws CompressionUnavailable `cancelled` when the response has closed: its `close` event will not fire again
   */
  openFor(res: ServerResponse, bodyBytes: number, sharer?: string): RequestMemory {
    if (res.destroyed) throw new CompressionUnavailable('cancelled');
    const memory = new RequestMemory(this.memory.open(sharer), bodyBytes);
    res.once('close', () => memory.release());
    return memory;
  }
}

/** The memory that one request has reserved. */
export class RequestMemory {
  private steps = 0;
  private uploadBytes = 0;
  private resultBytes = 0;

  constructor(
    private readonly claim: MemoryClaim,
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
    this.uploadBytes = Math.ceil(body * COPIES);
    this.update();
  }

  /**
   * Reserves memory for the result.
   * @throws CompressionUnavailable `overloaded` when there is not enough memory
   */
  resultWillTake(bytes: number): void {
    this.resultBytes = bytes;
    this.update();
  }

  /**
   * Reserves memory for one more of several results. If the client has not taken the earlier ones, it must fit beside them.
   * @throws CompressionUnavailable `overloaded` when there is not enough memory
   */
  anotherResultWillTake(bytes: number): void {
    const isFirst = this.resultBytes === 0;
    if (!this.claim.resize(this.uploadBytes + this.resultBytes + bytes, isFirst))
      throw new CompressionUnavailable('overloaded');
    this.resultBytes += bytes;
  }

  /** Releases the memory of one of several results. */
  resultWasSent(bytes: number): void {
    this.resultBytes -= bytes;
    this.claim.resize(this.uploadBytes + this.resultBytes);
  }

  /** Releases the memory of the uploaded file. */
  releaseUpload(): void {
    this.uploadBytes = 0;
    this.update();
  }

  release(): void {
    this.claim.release();
  }

  private update(): void {
    if (!this.claim.resize(this.uploadBytes + this.resultBytes))
      throw new CompressionUnavailable('overloaded');
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

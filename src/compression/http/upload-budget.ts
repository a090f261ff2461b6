import type { ServerResponse } from 'node:http';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { draining } from '../../contract/service-problems';
import { Lifecycle } from '../../http/requests';
import { CompressionUnavailable, CompressionRunner } from '../application/running/compression-runner.port';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';

/** The file, and its chunks until they are garbage collected: twenty concurrent uploads of 19 MB took 64 MB each. */
const COPIES = 2.4;
/** The share of one account, so that a single account cannot use all memory. */
const ACCOUNT_SHARE = 0.3;
const STEP_BYTES = 32 * 1024;
/** Per step that has arrived, so that most of a hundred simultaneous uploads are refused early, before memory is full. */
const STEPS_AHEAD = 3;

@Injectable()
export class UploadBudget {
  usedBytes = 0;
  private readonly byShareKey = new Map<string, number>();
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

  /** Reserves nothing, because a client can declare any length. */
  hasRoomFor(bodyBytes: number, shareKey = ''): boolean {
    return this.fits(bodyBytes * COPIES, shareKey);
  }

  /** Released when the response closes. @throws CompressionUnavailable `cancelled` when it has closed already */
  openFor(res: ServerResponse, bodyBytes: number, shareKey = ''): RequestMemory {
    if (res.destroyed) throw new CompressionUnavailable('cancelled');
    const memory = new RequestMemory(this, shareKey, bodyBytes);
    res.once('close', () => memory.release());
    return memory;
  }

  /** Returns whether it fits. Any size fits while no other request has memory: otherwise it would never fit. */
  resize(shareKey: string, from: number, to: number): boolean {
    const more = to - from;
    const isAlone = this.usedBytes === from;
    if (more > 0 && !isAlone && !this.fits(more, shareKey)) return false;
    this.usedBytes += more;
    const held = (this.byShareKey.get(shareKey) ?? 0) + more;
    if (held > 0) this.byShareKey.set(shareKey, held);
    else this.byShareKey.delete(shareKey);
    return true;
  }

  private fits(bytes: number, shareKey: string): boolean {
    if (this.usedBytes === 0) return true;
    const held = this.byShareKey.get(shareKey) ?? 0;
    return this.usedBytes + bytes <= this.capacityBytes && held + bytes <= this.maxPerSharer;
  }
}

export class RequestMemory {
  private steps = 0;
  private uploadBytes = 0;
  private resultBytes = 0;
  private isReleased = false;

  constructor(
    private readonly budget: UploadBudget,
    private readonly shareKey: string,
    private readonly maxBodyBytes: number,
  ) {}

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
    if (this.isReleased) return;
    this.reserve(0, 0);
    this.isReleased = true;
  }

  private reserve(uploadBytes: number, resultBytes: number): void {
    const held = this.uploadBytes + this.resultBytes;
    if (this.isReleased || !this.budget.resize(this.shareKey, held, uploadBytes + resultBytes))
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

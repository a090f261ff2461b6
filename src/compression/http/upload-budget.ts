/** The part of the memory budget that uploads draw on: from before the body is read until the answer has gone out. */
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../settings/settings';
import { MemoryBudget } from '../domain/memory-budget';

/** An image is held beside its result while that is on its way. */
const COPIES = 2;
/** Of the budget, for one account: the others get in even when somebody sends all he has, slowly. */
const ACCOUNT_SHARE = 0.75;

@Injectable()
export class UploadBudget {
  readonly memory: MemoryBudget;
  private readonly maxUploadBytes: number;

  constructor(@Inject(SETTINGS) { memory: { uploadBytes }, maxUploadBytes }: Settings) {
    this.maxUploadBytes = maxUploadBytes;
    this.memory = new MemoryBudget(uploadBytes, uploadBytes * ACCOUNT_SHARE);
  }

  /** @param bodyBytes as declared; what is too large, or nearly, is looked at later: there is another answer for it */
  hasRoomFor(bodyBytes: number): boolean {
    if (bodyBytes > this.maxUploadBytes || this.memory.usedBytes === 0) return true;
    return this.memory.hasRoomFor(bodyBytes * COPIES);
  }

  /** How to release what was claimed for a body; undefined when there is no room for it now. */
  claim(bodyBytes: number, accountId?: string): (() => void) | undefined {
    return this.memory.claim(bodyBytes * COPIES, accountId);
  }
}

import { signal } from '@preact/signals';
import type { DoneJob } from './jobs';

/** The image that is open in the comparison. */
export const compared = signal<DoneJob | undefined>(undefined);

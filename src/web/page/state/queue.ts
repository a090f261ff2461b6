/**
 * Sends the images of the list, two at a time. A problem that affects every image (no key, the limit of the account, no service)
 * pauses the queue and is shown once; a problem of one image is shown beside it.
 */
import { batch, effect } from '@preact/signals';
import { findAccount, openTrial } from '../api/account';
import { facts } from '../api/facts';
import { compressImage, fetchCompressed, type Outcome } from '../api/compress-image';
import { removedMetadata } from '../api/metadata';
import { CONNECTION_LOST, type Trouble } from '../words/trouble';
import { hasTrials, keepTrial, keyInUse, trial } from './credentials';
import { findJob, isActive, isFree, jobs, releaseHeld, setResult, setState, type Job } from './jobs';
import { wrongOptions } from './options';
import { checkService, isPassing, pause, probe, resume, stop, waitMsOf, type Pause } from './pause';
import { findRest } from './account';

/** Number of images sent at the same time. */
export const AT_ONCE = 2;
/** Number of times an image is sent if the service is busy or the connection breaks. */
const MAX_TRIES = 4;

const tries = new Map<number, number>();
const cancels = new Map<number, () => void>();
let isOpeningTrial = false;
/** Whether the queue resumed because the account had images left, and none has ended since: it asks once, not in a loop. */
let hasAskedForRest = false;
let isAskingForRest = false;
/** Whether an image has failed since, so that its trial image may come back. */
let isPlaceDue = false;

/** Sends images whenever some are waiting and nothing prevents it. */
export function startQueue(): void {
  effect(() => {
    const isHeld = jobs.value.some((job) => job.isHeld);
    if (isHeld && wrongOptions.value.size === 0) queueMicrotask(releaseHeld);
  });
  effect(() => {
    const key = keyInUse.value;
    const reason = pause.value;
    if (reason?.kind === 'trial-taken' && key && !jobs.value.some(isActive)) {
      queueMicrotask(() => void askForRest(key, reason));
    }
    const all = jobs.value.filter(({ state, isHeld }) => state.kind === 'waiting' && !isHeld);
    const samples = reason?.kind === 'unreachable' ? [] : all.filter(isFree);
    if (samples.length > 0) queueMicrotask(() => samples.forEach(fetchSample));
    if (reason) return;
    const waiting = all.filter((job) => !isFree(job));
    if (!key) {
      if (hasTrials && waiting.length > 0) queueMicrotask(() => void beginTrial());
      return;
    }
    const free = AT_ONCE - jobs.value.filter(isActive).length;
    const next = waiting.slice(0, Math.max(0, free));
    // Not within the effect: its own changes would trigger it again before it has ended.
    if (next.length > 0) queueMicrotask(() => next.forEach((job) => start(job, key)));
  });
  globalThis.addEventListener('online', () => void probe());
  globalThis.addEventListener('offline', () => void checkService());
}

export function retry(id: number): void {
  cancel(id);
  setState(id, { kind: 'waiting' });
}

/** Stops sending an image that is about to be removed from the list, or sent with other options. */
export function cancel(id: number): void {
  cancels.get(id)?.();
  cancels.delete(id);
  tries.delete(id);
}

/** Opens a trial for visitors without a key: images first, an account later. */
export async function beginTrial(): Promise<void> {
  if (isOpeningTrial || keyInUse.value) return;
  isOpeningTrial = true;
  const response = await openTrial();
  isOpeningTrial = false;
  // The visitor may have entered a key meanwhile.
  if (keyInUse.value) return;
  if (response.kind === 'refused') return stop(response.trouble);
  const { apiKey: key, images } = response.value;
  keepTrial({ apiKey: key, images, imagesLeft: images });
}

/** Resumes if the account has images left after all: a trial image is given back if no result is returned. */
async function askForRest(key: string, reason: Pause): Promise<void> {
  if (isAskingForRest || pause.value !== reason) return;
  isAskingForRest = true;
  const response = await findRest(key, isPlaceDue);
  isAskingForRest = false;
  isPlaceDue = false;
  // Another key or a sign-out has ended the pause meanwhile.
  if (pause.value !== reason) return;
  if (response.kind === 'refused') return stop(response.trouble);
  const imagesLeft = hasAskedForRest ? 0 : (response.value.trial?.imagesLeft ?? 0);
  hasAskedForRest = imagesLeft > 0;
  batch(() => {
    if (trial.value) keepTrial({ ...trial.value, imagesLeft });
    if (imagesLeft > 0) resume();
    else pause.value = { kind: 'key-refused', trouble: reason.trouble };
  });
}

function fetchSample({ id, sampleUrl = '' }: Job): void {
  if (findJob(id)?.state.kind !== 'waiting') return;
  setState(id, { kind: 'compressing', at: Date.now() });
  const ignore = () => undefined;
  cancels.set(id, ignore);
  void fetchCompressed(sampleUrl).then((outcome) => {
    if (!isCurrent(id, ignore)) return undefined;
    if (outcome.kind === 'done') return finish(id, outcome);
    return tryAgain(id, outcome.kind === 'refused' ? outcome.trouble : CONNECTION_LOST);
  });
}

function start({ id, file, options }: Job, key: string): void {
  if (findJob(id)?.state.kind !== 'waiting' || pause.value) return;
  setState(id, { kind: 'uploading', share: 0 });
  const { outcome, cancel: abort } = compressImage(file, options, key, (share) => {
    setState(id, share < 1 ? { kind: 'uploading', share } : { kind: 'compressing', at: Date.now() });
  });
  cancels.set(id, abort);
  void outcome.then((result) => {
    return isCurrent(id, abort) ? settle(id, result, key) : undefined;
  });
}

/** Whether a request is still the one whose response counts. Otherwise the image was removed meanwhile, or is sent again. */
function isCurrent(id: number, abort: () => void): boolean {
  return cancels.get(id) === abort && cancels.delete(id);
}

async function settle(id: number, outcome: Outcome, key: string): Promise<void> {
  switch (outcome.kind) {
    case 'done':
      return finish(id, outcome);
    case 'refused':
      return refuse(id, outcome.trouble, key);
    case 'no-response': {
      // A service that refuses a file closes the connection; some systems then lose the earlier response.
      const response = await findAccount(key);
      if (response.kind === 'ok') return tryAgain(id, CONNECTION_LOST);
      return refuse(id, response.trouble, key);
    }
  }
}

async function finish(id: number, { report, blob }: Extract<Outcome, { kind: 'done' }>): Promise<void> {
  const job = findJob(id);
  if (!job) return;
  const { file, options } = job;
  hasAskedForRest = false;
  const used = isFree(job) ? undefined : trial.value;
  if (used) keepTrial({ ...used, imagesLeft: Math.max(0, used.imagesLeft - 1) });
  const kept = options.metadata ?? facts.keptMetadata;
  const metadata = report.skipReason === undefined ? await removedMetadata(file, blob, kept) : [];
  const now = findJob(id);
  // Chosen otherwise meanwhile: another request makes that.
  if (!now || now.options !== options) return;
  setResult(now, { report, metadata, blob, url: URL.createObjectURL(blob), options });
}

function refuse(id: number, trouble: Trouble, key: string): void {
  if (isAboutKey(trouble) && key !== keyInUse.value) {
    // A response to an older key says nothing about the current one.
    setState(id, { kind: 'waiting' });
  } else if (trouble.status === 0 || isAboutKey(trouble) || trouble.code === 'rate_limited') {
    // Back to the list as if never sent; everything waits.
    batch(() => {
      stop(trouble);
      setState(id, { kind: 'waiting' });
    });
  } else if (isPassing(trouble)) {
    tryAgain(id, trouble);
  } else {
    hasAskedForRest = false;
    isPlaceDue = true;
    setState(id, { kind: 'failed', trouble, isFinal: trouble.status < 500 && trouble.status !== 408 });
  }
}

function isAboutKey({ status, code = '' }: Trouble): boolean {
  return status === 401 || ['account_suspended', 'trial_used_up'].includes(code);
}

function tryAgain(id: number, trouble: Trouble): void {
  const count = (tries.get(id) ?? 0) + 1;
  tries.set(id, count);
  if (count >= MAX_TRIES) return setState(id, { kind: 'failed', trouble, isFinal: false });
  const waitMs = waitMsOf(trouble);
  setState(id, { kind: 'retrying', at: Date.now() + waitMs, trouble });
  setTimeout(() => {
    if (findJob(id)?.state.kind === 'retrying') setState(id, { kind: 'waiting' });
  }, waitMs);
}

/** A problem of all images (no key, a limit, a busy service) pauses the queue and is shown once; others beside their image. */
import { batch, effect } from '@preact/signals';
import { findAccount, openTrial } from '../api/account';
import { compressImage, fetchCompressed, type Compressed, type Outcome } from '../api/compress-image';
import { facts } from '../api/facts';
import { removedMetadata } from '../api/metadata';
import { CONNECTION_LOST, type Trouble } from '../words/trouble';
import { hasTrials, keepTrial, keyInUse, trial } from './credentials';
import { findJob, isActive, isFree, jobs, setResult, setState, type Job } from './jobs';
import {
  checkService,
  forgetRefusals,
  isPassing,
  pause,
  probe,
  resumeAfter,
  stop,
  readWaitMs,
} from './pause';

export const AT_ONCE = 2;
/** For an image that takes the service too long, whose connection breaks, or whose process ends. */
const MAX_TRIES = 2;
/** A trial gets an image back soon after the response that says it failed. */
const GIVE_BACK_MS = 1_000;

const tries = new Map<number, number>();
const cancels = new Map<number, () => void>();
let isOpeningTrial = false;

export function startQueue() {
  effect(() => {
    const key = keyInUse.value;
    const reason = pause.value;
    const all = jobs.value.filter(({ state }) => state.kind === 'waiting');
    const samples = reason?.kind === 'unreachable' ? [] : all.filter(isFree);
    if (samples.length > 0) queueMicrotask(() => samples.forEach(fetchSample));
    const waiting = all.filter((job) => !isFree(job));
    if (reason || waiting.length === 0) return;
    if (!key) {
      if (hasTrials) queueMicrotask(() => void beginTrial());
      return;
    }
    const free = AT_ONCE - jobs.value.filter(isActive).length;
    const next = waiting.slice(0, Math.max(0, free));
    // Not within the effect: its own changes would trigger it again before it has ended.
    queueMicrotask(() => next.forEach((job) => start(job, key)));
  });
  globalThis.addEventListener('online', () => void probe());
  globalThis.addEventListener('offline', () => void checkService());
}

export function retry(id: number) {
  cancel(id);
  setState(id, { kind: 'waiting' });
}

export function cancel(id: number) {
  cancels.get(id)?.();
  cancels.delete(id);
  tries.delete(id);
}

async function beginTrial() {
  if (isOpeningTrial || keyInUse.value) return;
  isOpeningTrial = true;
  const { value, trouble } = await openTrial();
  isOpeningTrial = false;
  if (keyInUse.value) return;
  if (trouble) return stop(trouble);
  const { apiKey: key, images } = value;
  keepTrial({ apiKey: key, images, imagesLeft: images });
}

function fetchSample({ id, sampleUrl = '' }: Job) {
  if (findJob(id)?.state.kind !== 'waiting') return;
  setState(id, { kind: 'compressing', at: Date.now() });
  follow(id, fetchCompressed(sampleUrl), ({ value, trouble }) =>
    trouble ? tryAgain(id, trouble) : finish(id, value),
  );
}

function start({ id, file, options }: Job, key: string) {
  if (findJob(id)?.state.kind !== 'waiting' || pause.value) return;
  setState(id, { kind: 'uploading', share: 0 });
  const sending = compressImage(file, options, key, (share) => {
    setState(id, share < 1 ? { kind: 'uploading', share } : { kind: 'compressing', at: Date.now() });
  });
  follow(id, sending, (outcome) => settle(id, outcome, key));
}

/** The response counts unless the image was removed meanwhile, or is sent again. */
function follow(
  id: number,
  { outcome, cancel: abort }: ReturnType<typeof compressImage>,
  end: (outcome: Outcome) => unknown,
) {
  cancels.set(id, abort);
  void outcome.then((result) => {
    if (cancels.get(id) === abort && cancels.delete(id)) void end(result);
  });
}

async function settle(id: number, { value, trouble }: Outcome, key: string) {
  if (!trouble) return finish(id, value);
  if (trouble !== CONNECTION_LOST) return refuse(id, trouble, key);
  // A service that refuses a file closes the connection; some systems then lose the earlier response.
  const { trouble: later } = await findAccount(key);
  if (later && (facts.needsKey || later.status === 0)) return refuse(id, later, key);
  return tryAgain(id, trouble);
}

async function finish(id: number, { report, blob }: Compressed) {
  forgetRefusals();
  const job = findJob(id);
  if (!job) return;
  const { file, options } = job;
  const used = isFree(job) ? undefined : trial.value;
  if (used) keepTrial({ ...used, imagesLeft: Math.max(0, used.imagesLeft - 1) });
  const kept = options.metadata ?? facts.keptMetadata;
  const metadata = report.skipReason === undefined ? await removedMetadata(file, kept) : [];
  const now = findJob(id);
  if (!now || now.options !== options) return;
  setResult(now, { report, metadata, blob, url: URL.createObjectURL(blob), options });
}

function refuse(id: number, trouble: Trouble, key: string) {
  const isForAll =
    trouble.status === 0 ||
    trouble.code === 'rate_limited' ||
    isAboutKey(trouble) ||
    (isPassing(trouble) && trouble.code !== 'deadline_exceeded');
  if (isForAll) {
    batch(() => {
      // A response to an older key says nothing about the current one.
      if (!isAboutKey(trouble) || key === keyInUse.value) stopFor(trouble);
      // Each process may be lost to this very image.
      const isLost = trouble.code === 'dependency_unavailable' && countTry(id) >= MAX_TRIES;
      setState(id, isLost ? { kind: 'failed', trouble, isFinal: false } : { kind: 'waiting' });
    });
  } else if (isPassing(trouble)) {
    tryAgain(id, trouble);
  } else {
    setState(id, { kind: 'failed', trouble, isFinal: trouble.status < 500 && trouble.status !== 408 });
    const { value: reason } = pause;
    if (reason?.kind === 'key-refused' && reason.trouble.code === 'trial_used_up') resumeAfter(GIVE_BACK_MS);
  }
}

function stopFor(trouble: Trouble) {
  // The next image opens another trial, if the service still offers one.
  if (trouble.code === 'trial_expired') return keepTrial(undefined);
  if (trouble.code === 'trial_used_up' && trial.value) keepTrial({ ...trial.value, imagesLeft: 0 });
  stop(trouble);
}

function isAboutKey({ status, code = '' }: Trouble) {
  return status === 401 || ['account_suspended', 'trial_used_up'].includes(code);
}

function tryAgain(id: number, trouble: Trouble) {
  if (countTry(id) >= MAX_TRIES) return setState(id, { kind: 'failed', trouble, isFinal: false });
  const waitMs = readWaitMs(trouble);
  setState(id, { kind: 'retrying', at: Date.now() + waitMs, trouble });
  setTimeout(() => {
    if (findJob(id)?.state.kind === 'retrying') setState(id, { kind: 'waiting' });
  }, waitMs);
}

function countTry(id: number) {
  const count = (tries.get(id) ?? 0) + 1;
  tries.set(id, count);
  return count;
}

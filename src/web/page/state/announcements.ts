import { effect, signal } from '@preact/signals';
import { savingPercent } from '../words/numbers';
import { skipWords } from '../words/results';
import { jobs, type Job } from './jobs';

export const announcement = signal('');

export function announceEnds() {
  const announced = new Set<number>();
  effect(() => {
    const ended = jobs.value.filter((job) => !announced.has(job.id) && wordsFor(job) !== undefined);
    for (const { id, state } of jobs.value) if (state.kind === 'waiting') announced.delete(id);
    if (ended.length === 0) return;
    for (const { id } of ended) announced.add(id);
    announcement.value = ended.map(wordsFor).join(' ');
  });
}

function wordsFor({ file, state, result }: Job) {
  if (state.kind === 'failed') return `${file.name}: ${state.trouble.title}. ${state.trouble.text}`;
  if (state.kind !== 'done' || !result) return undefined;
  const { report } = result;
  return report.skipReason !== undefined
    ? `${file.name}: ${skipWords(report.skipReason)}`
    : `${file.name}: ${savingPercent(report.originalSize, report.bytesSaved)} percent smaller.`;
}

import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Processor time that a process has used, in seconds; not that of its children. Only on Linux. */
export function processorSeconds(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

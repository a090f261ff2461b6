import { forgetPeak, peakMegabytes, residentMegabytes, workersOf } from './process-memory.cjs';
import type { Service, WithKey } from './service';

/** A worker without an image. */
export const IDLE_MEGABYTES = 80;

export interface Cost {
  readonly response: Response;
  /** Peak resident set of the largest worker, in megabytes. */
  readonly workerMegabytes: number;
  /** Largest growth of the service process, in megabytes. */
  readonly serviceGrowth: number;
}

/** Peak memory of the processes for one upload. Elsewhere than on Linux the costs are 0, and only responses are tested. */
export async function costOf(service: Service & WithKey, image: Uint8Array): Promise<Cost> {
  const pid = service.process.pid ?? 0;
  if (process.platform !== 'linux')
    return { response: await service.send(image), workerMegabytes: 0, serviceGrowth: 0 };
  const workers = workersOf(pid);
  for (const process of [pid, ...workers]) forgetPeak(process);
  const before = measured(residentMegabytes(pid));
  const response = await service.send(image);
  return {
    response,
    workerMegabytes: Math.max(...workers.map((worker) => measured(peakMegabytes(worker)))),
    serviceGrowth: measured(peakMegabytes(pid)) - before,
  };
}

/** Elsewhere than on Linux it is 0. */
export function peakMegabytesOf({ process: { pid } }: Service) {
  return process.platform === 'linux' ? measured(peakMegabytes(pid ?? 0)) : 0;
}

/** @throws when a process could not be measured, which would pass every limit */
export function measured(megabytes: number | undefined) {
  if (megabytes === undefined) throw new Error('The memory of a process could not be measured.');
  return megabytes;
}

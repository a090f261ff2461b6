/** What one upload costs the processes of a service: their peaks of memory, where the system tells (Linux). */
import type { Service } from './service';

export interface Cost {
  readonly response: Response;
  /** Peak resident set of the largest worker, in megabytes. */
  readonly workerMegabytes: number;
  /** What the service's own process grew by at most, in megabytes. */
  readonly serviceGrowth: number;
}

/** Where nothing can be measured the costs are 0, and only the answers are tested. */
export async function costOf(service: Service, image: Uint8Array, apiKey: string): Promise<Cost> {
  const memory = await import('./process-memory.mjs');
  const pid = service.process.pid ?? 0;
  const workers = memory.childrenOf(pid);
  for (const process of [pid, ...workers]) memory.forgetPeak(process);
  const before = memory.residentMegabytes(pid) ?? 0;
  const response = await service.compress(image, apiKey);
  return {
    response,
    workerMegabytes: Math.max(0, ...workers.map((worker) => memory.peakMegabytes(worker) ?? 0)),
    serviceGrowth: (memory.peakMegabytes(pid) ?? before) - before,
  };
}

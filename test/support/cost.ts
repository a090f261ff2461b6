/** Measures the peak memory of the service's processes for one upload (Linux). */
import type { Service } from './service';

export interface Cost {
  readonly response: Response;
  /** Peak resident set of the largest worker, in megabytes. */
  readonly workerMegabytes: number;
  /** Largest growth of the service process, in megabytes. */
  readonly serviceGrowth: number;
}

/** Without measurements the costs are 0, and only responses are tested. */
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

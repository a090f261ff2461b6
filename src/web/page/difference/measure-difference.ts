import workerUrl from './difference.worker?worker&url';
import type { DifferenceRequest, DifferenceResponse } from './difference.worker';

/** The part of the Trusted Types API that is used here; some browsers have none. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL: (url: string) => string };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
/** The policy of the page asks for it: only this one script may become a worker. */
const policy = trustedTypes?.createPolicy('difference-worker', { createScriptURL: () => workerUrl });

export function measureDifference(request: DifferenceRequest): Promise<DifferenceResponse | undefined> {
  const worker = new Worker(policy ? policy.createScriptURL(workerUrl) : workerUrl);
  const response = new Promise<DifferenceResponse | undefined>((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<DifferenceResponse | undefined>) => resolve(data);
    worker.onerror = () => resolve(undefined);
    worker.postMessage(request);
  });
  return response.finally(() => worker.terminate());
}

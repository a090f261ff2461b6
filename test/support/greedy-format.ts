import { join } from 'node:path';
import { startService } from './service';

export async function statusOfGreedyFormat(image: Uint8Array) {
  const service = await startService({ WORKERS: '1', FORMAT_MODULES: join(__dirname, 'greedy-codec.cjs') });
  const { apiKey } = await service.signUp();
  const { status } = await service.compress(image, apiKey, {}, '?format=greedy');
  await service.stop();
  return status;
}

import { join } from 'node:path';
import { formWith, startService } from './service';

export async function statusOfGreedyFormat(image: Uint8Array): Promise<number> {
  const service = await startService({ WORKERS: '1', FORMAT_MODULES: join(__dirname, 'greedy-codec.cjs') });
  const headers = { 'X-API-Key': (await service.signUp()).apiKey };
  const url = `${service.url}/api/v1/compress?format=greedy`;
  const { status } = await fetch(url, { method: 'POST', headers, body: formWith(image) });
  await service.stop();
  return status;
}

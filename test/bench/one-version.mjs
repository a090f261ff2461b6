/** One side of versions.mjs: compresses each path that it receives, and sends the cost and the digest of the result. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const load = (path) => createRequire(import.meta.url)(join(process.argv[2], 'dist', path));
const { compressImage } = load('compression/application/recipe.js');
const { policy } = load('settings/settings.js').readSettings({}).compression;
const engine = load('compression/infrastructure/codecs/native/native-engine.js').createNativeEngine();

process.on('message', async (path) => {
  const bytes = readFileSync(path);
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  const result = await compressImage(bytes, engine, policy).catch(({ code, message }) => ({ code, message }));
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const cost = { ms, cpuMs: (user + system) / 1000 };
  if (!result.bytes) return process.send({ ...cost, refused: result.code ?? result.message });
  const digest = createHash('sha256').update(result.bytes).digest('hex');
  process.send({ ...cost, size: result.bytes.length, digest, stages: result.report.timings });
});
process.send('ready');

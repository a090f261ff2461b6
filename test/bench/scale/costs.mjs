/** Prints what an image costs in each part of the service, from counters that other load hardly disturbs. */
import { workersOf } from '../../support/process-memory.mjs';
import { mean } from './simulation.mjs';
import { processorMs } from './stores.mjs';

/** @param send sends images and resolves to what sendWith returns */
export async function measureCosts(service, stores, images, send) {
  const processes = () => ({
    service: processorMs(service.pid),
    workers: workersOf(service.pid).reduce((sum, pid) => sum + processorMs(pid), 0),
  });
  const before = { ...(await stores.counters()), ...processes() };
  const bytesBefore = await bytesOf(service);
  const { latencies } = await send();
  const cpu = processes();
  const after = { ...(await stores.counters()), ...cpu };
  const bytes = await bytesOf(service);
  // Connections that were idle for ten seconds have been closed: those that were opened meanwhile count from 0.
  const postgresMs = [...after.postgresMs].map(([pid, ms]) => ms - (before.postgresMs.get(pid) ?? 0));
  const postgres = (postgresMs.reduce((sum, ms) => sum + ms, 0) / latencies.length).toFixed(2);
  const per = (name, digits = 2) => ((after[name] - before[name]) / latencies.length).toFixed(digits);
  console.log(
    `\nOne image, mean of ${latencies.length} (${images.length} files of ${kib(mean(images.map(({ bytes: all }) => all.length)))} KiB):`,
  );
  console.log(`  workers     ${per('workers', 0)} ms of processor time`);
  console.log(`  service     ${per('service', 1)} ms`);
  console.log(
    `  PostgreSQL  ${postgres} ms, ${per('statements')} statements, ${per('rowsRead')} rows read, ${per('rowsUpdated')} updated, ${after.connections} connections`,
  );
  console.log(
    `  Redis       ${per('redisMs', 3)} ms, ${per('redisCalls')} scripts, ${per('redisBytes', 0)} bytes`,
  );
  console.log(
    `  network     ${kib((bytes.in - bytesBefore.in) / latencies.length)} KiB in, ${kib((bytes.out - bytesBefore.out) / latencies.length)} KiB out`,
  );
}

const kib = (bytes) => (bytes / 1024).toFixed(0);

async function bytesOf(service) {
  const metrics = await service.metrics();
  const sum = (kind) =>
    Object.entries(metrics)
      .filter(([name]) => name.startsWith('ics_image_bytes_total') && name.includes(`kind="${kind}"`))
      .reduce((total, [, value]) => total + value, 0);
  return { in: sum('in'), out: sum('out') };
}

/**
 * Loaded into the service and its workers by walk.mjs. Counts the calls of functions, and on SIGUSR2 writes the files of dist/ with a
 * function that ran since the last signal, one a line, to $WALK_FOLDER/<process id>.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

// Workers get NODE_OPTIONS, but no other variable of the service.
const folder = new URL(import.meta.url).searchParams.get('folder');
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

process.on('SIGUSR2', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = result
    .filter(
      ({ url, functions }) =>
        url.includes('/dist/') && !url.includes('/node_modules/') && functions.some(wasCalled),
    )
    .map(({ url }) => url.slice(url.lastIndexOf('/dist/') + 1));
  const path = join(folder, String(process.pid));
  writeFileSync(`${path}.part`, [...new Set(files)].sort().join('\n'));
  renameSync(`${path}.part`, path);
});

function wasCalled({ ranges: [{ count }] }) {
  return count > 0;
}

/** One service for all test files of a Jest worker that need only the default settings. global-setup.cjs stops it. */
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './eventually';
import {
  clientOf,
  filledBefore,
  isListening,
  linesOf,
  spawnService,
  withKey,
  type ServiceClient,
} from './service';

/** Starts it if no earlier test file has. Its log begins with this call. A test must not stop it or kill its workers. */
async function sharedService(): Promise<ServiceClient> {
  const folder = join(process.env['TEST_RUN_FOLDER'] ?? '', `service-${process.env['JEST_WORKER_ID']}`);
  const [pidFile, logFile] = [join(folder, 'pid'), join(folder, 'log')];
  const log = () => readFileSync(logFile, 'utf8');
  if (!existsSync(pidFile) || !isRunning(Number(readFileSync(pidFile, 'utf8')))) {
    mkdirSync(folder, { recursive: true });
    // Files, because pipes would end with this test file.
    const output = openSync(logFile, 'w');
    const child = spawnService(folder, ['ignore', output, output], { WORKERS: '2' });
    child.unref();
    closeSync(output);
    writeFileSync(pidFile, String(child.pid));
  }
  await eventually(() => {
    if (!linesOf(log()).some(isListening)) throw new Error(`The service has not started: ${log()}`);
  });
  const earlier = log().length;
  return clientOf(linesOf(log()), () => linesOf(log().slice(earlier)));
}

export const sharedClient = () => filledBefore(sharedService);

export const sharedClientWithKey = () => filledBefore(() => sharedService().then(withKey));

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

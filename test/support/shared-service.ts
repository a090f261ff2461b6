/** Services that test files share, one for each profile of settings. A test must not stop one or kill its workers. */
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
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
import { freshDatabase, postgresUrl } from './services';

const BEHIND_PROXY = { TRUST_PROXY: 'loopback', TINIFY_API: 'on' };

export const PROFILES = {
  /** The default settings, without limits for accounts. */
  default: { ...BEHIND_PROXY, WORKERS: '2', ACCOUNT_REQUESTS_PER_MINUTE: '0' },
  /** Limits that a test reaches with a few requests; no page. */
  tight: {
    ...BEHIND_PROXY,
    RATE_LIMIT_PER_MINUTE: '10',
    ACCOUNT_REQUESTS_PER_MINUTE: '5',
    MAX_UPLOAD_MB: '1',
    MAX_DIMENSION_PX: '320',
    TRIAL_IMAGES: '3',
    CORS_ORIGINS: 'https://app.example.com',
    WEB: 'off',
  },
  /** Without sign-ups, trials and Tinify's API. */
  closed: { TRUST_PROXY: 'loopback', SIGNUP: 'closed', MAX_UPLOAD_MB: '7' },
  /** The accounts are in PostgreSQL. */
  postgres: BEHIND_PROXY,
};

type Profile = keyof typeof PROFILES;

export interface SharedClient extends ServiceClient {
  readonly databaseUrl: string;
}

/** Starts it if no test file has yet. Its log begins with this call. */
async function sharedService(profile: Profile): Promise<SharedClient> {
  const run = process.env['TEST_RUN_FOLDER'] ?? '';
  // Tests of metrics need a service for themselves: each Jest worker has its own default one.
  const owner = profile === 'default' ? process.env['JEST_WORKER_ID'] : 'all';
  const folder = join(run, `service-${profile}-${owner}`);
  const [pidFile, logFile, urlFile] = ['pid', 'log', 'database'].map((name) => join(folder, name));
  const log = () => readFileSync(logFile, 'utf8');
  if (mkdirSync(folder, { recursive: true })) {
    const sqlite = { url: `sqlite:${join(folder, 'service.db')}` };
    const { url } = profile === 'postgres' ? await freshDatabase(postgresUrl() ?? '') : sqlite;
    writeFileSync(urlFile, url);
    // Files, because pipes would end with this test file.
    const output = openSync(logFile, 'w');
    const child = spawnService(folder, ['ignore', output, output], {
      ...PROFILES[profile],
      DATABASE_URL: url,
    });
    child.unref();
    closeSync(output);
    writeFileSync(pidFile, String(child.pid));
  }
  await eventually(() => {
    if (!linesOf(log()).some(isListening)) throw new Error(`The service has not started: ${log()}`);
  });
  const earlier = log().length;
  const client = await clientOf(linesOf(log()), () => linesOf(log().slice(earlier)));
  return { ...client, databaseUrl: readFileSync(urlFile, 'utf8') };
}

export const sharedClient = (profile: Profile = 'default') => filledBefore(() => sharedService(profile));

export const sharedClientWithKey = () => filledBefore(() => sharedService('default').then(withKey));

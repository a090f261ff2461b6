/** PostgreSQL, Redis and programs; without one its tests are skipped, with REQUIRE_SERVICES=1 (CI) they fail. */
import { spawnSync } from 'node:child_process';

const LOCAL_DEFAULT = 'postgres://postgres@127.0.0.1:5432/test';
const LOCAL_REDIS = 'redis://127.0.0.1:6379';

export function postgresUrl() {
  const url = process.env['TEST_POSTGRES_URL'] ?? LOCAL_DEFAULT;
  const connect = `new (require('pg').Client)({ connectionString: url, connectionTimeoutMillis: 2000 }).connect()`;
  if (connects(url, connect)) return url;
  return skip(`no PostgreSQL at ${url}; set TEST_POSTGRES_URL to run the tests that need it`);
}

export function redisUrl() {
  const url = process.env['TEST_REDIS_URL'] ?? LOCAL_REDIS;
  const options = `{ url, socket: { connectTimeout: 2000, reconnectStrategy: false } }`;
  if (connects(url, `require('@redis/client').createClient(${options}).on('error', () => 0).connect()`))
    return url;
  return skip(`no Redis at ${url}; set TEST_REDIS_URL to run the tests that need it`);
}

export const hasPrograms = (...names: string[]) =>
  names.every((name) => isAvailable(spawnSync('sh', ['-c', `command -v ${name}`]).status === 0, name));

/** Returns whether what a test needs is there, and reports if it is not. */
export function isAvailable(isThere: boolean, what: string) {
  if (!isThere) skip(`${what} is missing; some tests need it`);
  return isThere;
}

function connects(url: string, code: string) {
  const script = `const url = process.argv[1]; ${code}.then(() => process.exit(0), () => process.exit(1))`;
  return spawnSync(process.execPath, ['-e', script, url], { cwd: __dirname }).status === 0;
}

function skip(reason: string): undefined {
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(reason);
  console.warn(`SKIPPED: ${reason}.`);
}

export async function freshDatabase(serverUrl: string) {
  const name = `ics_test_${process.pid}_${Date.now()}`;
  await administer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = () => administer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
  return { url: url.toString(), drop };
}

export async function withFreshDatabase(serverUrl: string, work: (url: string) => Promise<void>) {
  const { url, drop } = await freshDatabase(serverUrl);
  await work(url).finally(drop);
}

async function administer(url: string, statement: string) {
  // Slow to load: only for tests that have a server.
  const typeorm = await import('typeorm');
  const server = new typeorm.DataSource({ type: 'postgres', url, connectTimeoutMS: 2000 });
  await server.initialize();
  await server.query(statement).finally(() => server.destroy());
}

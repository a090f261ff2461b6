/** PostgreSQL, Redis and programs; without one its tests are skipped, with REQUIRE_SERVICES=1 (CI) they fail. */
import { spawnSync } from 'node:child_process';
import type { DataSource } from 'typeorm';

const LOCAL_DEFAULT = 'postgres://postgres@127.0.0.1:5432/test';
const LOCAL_REDIS = 'redis://127.0.0.1:6379';

export function postgresUrl(): string | undefined {
  const url = process.env['TEST_POSTGRES_URL'] ?? LOCAL_DEFAULT;
  const connect = `new (require('pg').Client)({ connectionString: url, connectionTimeoutMillis: 2000 }).connect()`;
  if (connects(url, connect)) return url;
  return skip(`no PostgreSQL at ${url}; set TEST_POSTGRES_URL to run the tests that need it`);
}

export function redisUrl(): string | undefined {
  const url = process.env['TEST_REDIS_URL'] ?? LOCAL_REDIS;
  const options = `{ url, socket: { connectTimeout: 2000, reconnectStrategy: false } }`;
  if (connects(url, `require('@redis/client').createClient(${options}).on('error', () => 0).connect()`))
    return url;
  return skip(`no Redis at ${url}; set TEST_REDIS_URL to run the tests that need it`);
}

export function hasNginx(): boolean {
  if (spawnSync('nginx', ['-v']).status === 0) return true;
  skip('nginx is not installed; the tests with a proxy need it');
  return false;
}

export function hasOpenssl(): boolean {
  if (spawnSync('openssl', ['version']).status === 0) return true;
  skip('openssl is not installed; the tests of clients over TLS need it');
  return false;
}

/** Returns whether what a test needs is there, and reports if it is not. */
export function isAvailable(isThere: boolean, what: string): boolean {
  if (!isThere) skip(`${what} is missing; some tests need it`);
  return isThere;
}

function connects(url: string, code: string): boolean {
  const script = `const url = process.argv[1]; ${code}.then(() => process.exit(0), () => process.exit(1))`;
  return spawnSync(process.execPath, ['-e', script, url], { cwd: __dirname }).status === 0;
}

function skip(reason: string): undefined {
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(reason);
  console.warn(`SKIPPED: ${reason}.`);
}

export async function freshDatabase(serverUrl: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `ics_test_${process.pid}_${Date.now()}`;
  const admin = await connect(serverUrl);
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.toString(),
    drop: async () => {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.destroy();
    },
  };
}

export async function withFreshDatabase(
  serverUrl: string,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const { url, drop } = await freshDatabase(serverUrl);
  await work(url).finally(drop);
}

async function connect(url: string): Promise<DataSource> {
  // Slow to load: only for tests that have a server.
  const typeorm = await import('typeorm');
  return new typeorm.DataSource({ type: 'postgres', url, connectTimeoutMS: 2000 }).initialize();
}

/** Where PostgreSQL, Redis and nginx are, for tests that need the real thing. */
import { spawnSync } from 'node:child_process';
import { createClient } from '@redis/client';
import { DataSource } from 'typeorm';

const LOCAL_DEFAULT = 'postgres://postgres@127.0.0.1:5432/test';
const LOCAL_REDIS = 'redis://127.0.0.1:6379';

/**
 * The address of a PostgreSQL server that answers, or undefined. With REQUIRE_SERVICES=1 (CI) a missing server is
 * a failure instead of a skip.
 */
export async function postgresUrl(): Promise<string | undefined> {
  const url = process.env['TEST_POSTGRES_URL'] ?? LOCAL_DEFAULT;
  try {
    await (await connect(url)).destroy();
    return url;
  } catch (error) {
    if (process.env['REQUIRE_SERVICES'] === '1') throw error;
    console.warn(`SKIPPED: no PostgreSQL at ${url}; set TEST_POSTGRES_URL to run the tests that need it.`);
    return undefined;
  }
}

/** The address of a Redis server that answers, or undefined; a failure as above. */
export async function redisUrl(): Promise<string | undefined> {
  const url = process.env['TEST_REDIS_URL'] ?? LOCAL_REDIS;
  const client = createClient({ url, socket: { connectTimeout: 2000, reconnectStrategy: false } });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
    client.destroy();
    return url;
  } catch (error) {
    if (process.env['REQUIRE_SERVICES'] === '1') throw error;
    console.warn(`SKIPPED: no Redis at ${url}; set TEST_REDIS_URL to run the tests that need it.`);
    return undefined;
  }
}

/** Whether nginx can be started; a failure as above. */
export function hasNginx(): boolean {
  if (spawnSync('nginx', ['-v']).status === 0) return true;
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error('nginx is not installed');
  console.warn('SKIPPED: nginx is not installed; the tests with a proxy need it.');
  return false;
}

/** Runs work in a database of its own, made for it and dropped after it. */
export async function withFreshDatabase(
  serverUrl: string,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const name = `ics_test_${process.pid}_${Date.now()}`;
  const admin = await connect(serverUrl);
  await admin.query(`CREATE DATABASE ${name}`);
  try {
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    await work(url.toString());
  } finally {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.destroy();
  }
}

function connect(url: string): Promise<DataSource> {
  return new DataSource({ type: 'postgres', url, connectTimeoutMS: 2000 }).initialize();
}

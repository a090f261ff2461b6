/** Where PostgreSQL is for tests that need the real thing. */
import { DataSource } from 'typeorm';

const LOCAL_DEFAULT = 'postgres://postgres@127.0.0.1:5432/test';

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

/** A new database in PostgreSQL, and Redis, with their counters. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { Client } = createRequire(import.meta.url)('pg');
const { createClient } = createRequire(import.meta.url)('@redis/client');

/** PostgreSQL adds a connection's counts to its statistics once a second, when the connection is idle. */
const STATISTICS_DELAY_MS = 2_500;
/** Linux counts processor time in ticks. */
const MS_PER_TICK = 10;

export async function openStores() {
  const server = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test';
  const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';
  const admin = new Client({ connectionString: server });
  await admin.connect();
  const name = `ics_scale_${process.pid}`;
  await admin.query(`CREATE DATABASE ${name}`);
  const redis = createClient({ url: redisUrl });
  await redis.connect();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    env: { DATABASE_URL: url.toString(), REDIS_URL: redisUrl },
    /** Counters since the start: subtract two. Processor times of PostgreSQL are those of its open connections. */
    async counters() {
      await new Promise((resolve) => setTimeout(resolve, STATISTICS_DELAY_MS));
      const { rows } = await admin.query(
        `SELECT xact_commit::int AS statements, tup_fetched::int AS "rowsRead", tup_updated::int AS "rowsUpdated"
          FROM pg_stat_database WHERE datname = $1`,
        [name],
      );
      const { rows: backends } = await admin.query(
        "SELECT pid FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'",
        [name],
      );
      const info = await redis.info();
      const value = (key) => Number(new RegExp(`^${key}:([\\d.]+)`, 'm').exec(info)?.[1]);
      return {
        ...rows[0],
        connections: backends.length,
        postgresMs: new Map(backends.map(({ pid }) => [pid, processorMs(pid)])),
        redisMs: 1000 * (value('used_cpu_user') + value('used_cpu_sys')),
        redisBytes: value('total_net_input_bytes') + value('total_net_output_bytes'),
        redisCalls: scriptsIn(await redis.info('commandstats')),
      };
    },
    async close() {
      redis.destroy();
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.end();
    },
  };
}

/** Commands that clients have sent: those of scripts are counted too, but are no round trips. */
const scriptsIn = (stats) =>
  [...stats.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );

/** Processor time of a process in ms so far; 0 where it is not on this machine. */
export function processorMs(pid) {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = readFileSync(file, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

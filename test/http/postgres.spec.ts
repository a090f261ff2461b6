import { DataSource } from 'typeorm';
import { until } from '../support/eventually';
import { startService } from '../support/service';
import { postgresUrl, withFreshDatabase } from '../support/services';

const postgres = postgresUrl() ?? '';

(postgres ? it : it.skip).each([1, 2])(
  'takes no more connections than DATABASE_CONNECTIONS=%i',
  async (most) => {
    await withFreshDatabase(postgres, async (url) => {
      const service = await startService({ DATABASE_URL: url, DATABASE_CONNECTIONS: String(most) });
      const { apiKey } = await service.signUp();
      const database = await new DataSource({ type: 'postgres', url }).initialize();
      // Holds the look-ups up, so that each waits on a connection of its own while there are any.
      const lock = database.createQueryRunner();
      await lock.startTransaction();
      await lock.query('LOCK TABLE api_keys');
      const answers = Promise.all(Array.from({ length: 8 }, () => service.api('account', { apiKey })));
      const waiting = async () => {
        const rows: object[] = await database.query(
          "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return rows.length;
      };
      await until(async () => (await waiting()) >= most);
      const connections: object[] = await database.query(
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database()',
      );
      // Those of the service, and two of this test.
      expect(connections).toHaveLength(most + 2);
      await lock.rollbackTransaction();
      await lock.release();
      expect((await answers).map(({ status }) => status)).toEqual(Array(8).fill(200));
      await database.destroy();
      expect(await service.stop()).toBe(0);
    });
  },
);

/** Runs a suite on a new database of every supported kind. PostgreSQL is skipped where there is none. */
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { temporaryFolder } from './folders';
import { openDatabase } from '../../src/accounts/infrastructure/persistence/database';
import { TypeOrmAccountRepository } from '../../src/accounts/infrastructure/persistence/typeorm-account.repository';
import { filledBefore } from './service';
import { freshDatabase, postgresUrl } from './services';

/** @param suite defines tests; the URL of the database is known when they run */
export function onEachDatabase(suite: (url: () => string) => void) {
  describe('on SQLite', () => {
    const folder = temporaryFolder();
    suite(() => `sqlite:${join(folder, 'new', 'service.db')}`);
  });

  const server = postgresUrl();
  (server ? describe : describe.skip)('on PostgreSQL', () => {
    let database: Awaited<ReturnType<typeof freshDatabase>>;
    beforeAll(async () => (database = await freshDatabase(server ?? '')));
    afterAll(() => database.drop());
    suite(() => database.url);
  });
}

/** The repository of a new database. */
export interface AccountStore {
  readonly dataSource: DataSource;
  readonly accounts: TypeOrmAccountRepository;
}

/** The same, with the open database. */
export function onEachAccountStore(suite: (store: AccountStore, url: () => string) => void) {
  onEachDatabase((url) => {
    const store = filledBefore<AccountStore>(async () => {
      const dataSource = await openDatabase(url());
      return { dataSource, accounts: new TypeOrmAccountRepository(dataSource) };
    });
    afterAll(() => store.dataSource.destroy());
    suite(store, url);
  });
}

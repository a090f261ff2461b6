import { SqliteDatabase } from '../../src/accounts/infrastructure/persistence/sqlite-driver';

export function changeAccount(
  databaseFile: string,
  { accountId }: { readonly accountId: string },
  assignment: string,
): void {
  const database = new SqliteDatabase(databaseFile);
  database.prepare(`UPDATE accounts SET ${assignment} WHERE id = ?`).run(accountId);
  database.close();
}

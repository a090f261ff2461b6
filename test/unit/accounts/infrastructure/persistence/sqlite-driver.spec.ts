import { readFileSync } from 'node:fs';
import {
  loadSqliteDriver,
  sqlitePackage,
} from '../../../../../src/accounts/infrastructure/persistence/sqlite-driver';

const nodeMajor = Number(process.versions.node.split('.')[0]);

it('loads better-sqlite3 13 from Node.js 22 on, and 12 below', () => {
  const manifest = readFileSync(`node_modules/${sqlitePackage}/package.json`, 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  expect(Number(version.split('.')[0])).toBe(nodeMajor >= 22 ? 13 : 12);
});

it('loads a driver that works on the Node.js that runs this test', () => {
  const database = new (loadSqliteDriver())(':memory:');
  expect(database.prepare('SELECT 6 * 7 AS product').get()).toEqual({ product: 42 });
  database.close();
});

import { databaseName } from '../../../src/cli/accounts-context';

it.each([
  [
    'postgres://ics:s3cret@db.example.com:5432/ics?sslpassword=s3cret',
    'postgres://ics@db.example.com:5432/ics',
  ],
  ['postgres://db.example.com/ics?password=s3cret', 'postgres://db.example.com/ics'],
  ['host=db.example.com password=s3cret', 'PostgreSQL'],
  ['sqlite::memory:', 'sqlite::memory:'],
  ['sqlite:/var/lib/service.db', 'sqlite:/var/lib/service.db'],
])('%s is shown without its password', (url, name) => {
  expect(databaseName(url)).toBe(name);
});

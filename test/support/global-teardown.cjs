/** Stops the shared services of a test run, and removes its folder and their database in PostgreSQL. */
const { existsSync, readFileSync, readdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');
const { Client } = require('pg');

module.exports = async () => {
  const folder = process.env.TEST_RUN_FOLDER;
  // Other folders may hold a pid file that is empty, as `nginx -t` writes it: number 0 would be the group of this process.
  for (const name of readdirSync(folder).filter((each) => each.startsWith('service-'))) {
    try {
      process.kill(Number(readFileSync(join(folder, name, 'pid'), 'utf8')), 'SIGKILL');
    } catch {
      // It has ended already.
    }
    const file = join(folder, name, 'database');
    const url = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (url.startsWith('postgres')) await drop(new URL(url));
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
};

async function drop(url) {
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.toString() });
  await client.connect();
  await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await client.end();
}

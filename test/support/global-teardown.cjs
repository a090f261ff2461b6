/** Stops the shared services of a test run and removes its folder. */
const { readFileSync, readdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');

module.exports = () => {
  const folder = process.env.TEST_RUN_FOLDER;
  // Other folders may hold a pid file that is empty, as `nginx -t` writes it: number 0 would be the group of this process.
  for (const name of readdirSync(folder).filter((each) => each.startsWith('service-'))) {
    try {
      process.kill(Number(readFileSync(join(folder, name, 'pid'), 'utf8')), 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
};

/** Stops the shared services of a test run and removes its folder. */
const { readFileSync, readdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');

module.exports = () => {
  const folder = process.env.TEST_RUN_FOLDER;
  for (const name of readdirSync(folder)) {
    try {
      process.kill(Number(readFileSync(join(folder, name, 'pid'), 'utf8')), 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
};

/** The folder of a test run, where test files find the services that they share. */
const { chmodSync, mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

module.exports = () => {
  process.env.TEST_RUN_FOLDER = mkdtempSync(join(tmpdir(), 'ics-run-'));
  // Some tests open a folder in it to another user.
  chmodSync(process.env.TEST_RUN_FOLDER, 0o711);
};

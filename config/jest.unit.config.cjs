const all = require('./jest.config.cjs');

/**
 * The tests for the inner loop: those of test/unit that start no process and no server, without a build.
 * @type {import('jest').Config}
 */
module.exports = {
  ...all,
  globalSetup: undefined,
  globalTeardown: undefined,
  testMatch: ['<rootDir>/test/unit/**/*.spec.ts'],
  testPathIgnorePatterns: [
    '/infrastructure/process/',
    '/infrastructure/remembered/folder-result-store',
    '/infrastructure/sandbox/run-trial',
    '/settings/start-with-faults',
    '/unit/nest-cli',
  ],
  setupFiles: ['<rootDir>/test/support/no-processes.cjs'],
};

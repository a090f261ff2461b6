const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
module.exports = {
  rootDir: '..',
  testMatch: ['<rootDir>/test/**/*.spec.ts'],
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          target: 'es2022',
        },
        // Modules that exist as ES modules only (the WebAssembly codecs) are imported as Node does it.
        module: { type: 'commonjs', ignoreDynamic: true },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Real codecs on real pixels, and a real server: slower than unit tests, on two cores above all.
  testTimeout: 60_000,
  // Two at least: while one waits for a process to start, another has work to do.
  maxWorkers: Math.max(2, availableParallelism() >> 1),
};

const { availableParallelism } = require('node:os');

/** The globals that loops over pixels and bytes use. No test replaces them. */
const GLOBALS = [
  ...['Array', 'Buffer', 'Infinity', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'Set', 'String'],
  ...['DataView', 'Float32Array', 'Float64Array', 'Int16Array', 'Int32Array', 'Int8Array'],
  ...['Uint16Array', 'Uint32Array', 'Uint8Array', 'Uint8ClampedArray'],
];

/** @type {import('jest').Config} */
module.exports = {
  rootDir: '..',
  testMatch: ['<rootDir>/test/**/*.spec.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
  testEnvironment: 'node',
  setupFilesAfterEnv: ['<rootDir>/test/support/equal-bytes.cjs'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          target: 'es2022',
        },
        // The WebAssembly codecs are ES modules only, so dynamic imports stay as they are.
        module: { type: 'commonjs', ignoreDynamic: true },
        sourceMaps: 'inline',
      },
    ],
  },
  // Each file runs in a context of its own, where looking up a global is slow: two thirds of the time of a pixel loop.
  sandboxInjectedGlobals: GLOBALS,
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // The tests run real codecs and a real server, which is slow on two cores.
  testTimeout: 400_000,
  testSequencer: '<rootDir>/test/support/waiting-first.cjs',
  // At least four, because tests often wait for processes to start, or for limits of the service to pass.
  maxWorkers: Math.max(4, availableParallelism() >> 1),
  // A worker without open handles leaves its event loop at once. Then Node.js frees the heap, up to 600 MB, which takes 0.1 s of
  // processor time: on a busy machine more than the 0.5 s after which Jest kills the worker and reports a leak.
  workerGracefulExitTimeout: 30_000,
};

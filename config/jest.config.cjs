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
        // The WebAssembly codecs are ES modules only, so dynamic imports stay as they are.
        module: { type: 'commonjs', ignoreDynamic: true },
        sourceMaps: 'inline',
      },
    ],
  },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // The tests run real codecs and a real server, which is slow on two cores.
  testTimeout: 180_000,
  // At least two, because tests often wait for processes to start.
  maxWorkers: Math.max(2, availableParallelism() >> 1),
};

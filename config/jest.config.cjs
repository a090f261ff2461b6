const { availableParallelism } = require('node:os');

/** The globals that loops over pixels and bytes use. No test replaces them. */
const GLOBALS = [
  ...['Array', 'Buffer', 'Infinity', 'JSON', 'Map', 'Math', 'Number', 'Object', 'Promise', 'Set', 'String'],
  ...['DataView', 'Float32Array', 'Float64Array', 'Int16Array', 'Int32Array', 'Int8Array'],
  ...['Uint16Array', 'Uint32Array', 'Uint8Array', 'Uint8ClampedArray'],
];

/**
 * The full tier: files below test/ that `npm test` leaves to `npm run test:all`. The quick tier takes at most 300 s on two idle cores,
 * and notices when a rule of the contract is broken (`npm run test:mutants`).
 */
const FULL_TIER = [
  '{bench,corpus,deployment,fuzz,replicas}/*',
  // Wide matrices, which judge every format and engine.
  'cli/{check-site,compare,compress-faults,every-format,hooks,hostile-repository,originals,outputs,second-run,set,terminal}',
  'contract/codecs/*',
  'docs/{examples,express,samples}',
  'guard/*',
  'unit/compression/application/partial-result',
  'file-kinds/{converted-metadata,crop,editor-layers,end-marker,independent-decoders,orientation,png-depth}',
  'file-kinds/{kept-parts,png-data,png-types,rare-jpeg}',
  // Software of others, which must be installed.
  'library/{astro,compare,documentation,inputs,program,types,vite}',
  'packages/*',
  'tinify/{client,commands,nine-patches,plugins,suites}',
  'unit/{nest-cli,regular-expressions}',
  'unit/compression/application/{as-shown,byte-limit/*,conversions,density,png/png-candidates,png/png-exact-alpha}',
  'unit/compression/infrastructure/codecs/oxipng-module',
  'unit/compression/infrastructure/process/{suspension,worker-faults,worker-memory}',
  'web/{access,account,choices,compare,documentation,list,troubles}',
  // Large files, floods, and what waits for a limit.
  'hostile/{animation-bombs,broken-animations,contradictory-png,converted-sizes,deflate-bombs,expensive-heads}',
  'hostile/{garbage,idle-memory,killed-starts,large*,many-*,multipart-floods,open-formats,others-are-served,pipelining}',
  'hostile/unread-*',
  'http/{503-memory,abuse,database-file,first-start,telemetry}',
];

/** Files of the quick tier that may be slow, because nothing else there sees their rules: see test/support/tiers.cjs. */
const HEAVY = ['cli/check', 'cli/cli', 'cli/compress', 'contract/openapi/replay', 'web/flows'].map(
  (path) => `test/${path}.spec.ts`,
);

const TIERS = {
  all: ['**/test/**/*.spec.ts'],
  quick: ['**/test/**/*.spec.ts', ...FULL_TIER.map((path) => `!**/test/${path}.spec.ts`)],
  rest: FULL_TIER.map((path) => `**/test/${path}.spec.ts`),
};
/** Files named on the command line run whatever their tier. */
const areNamed = process.argv.slice(2).some((argument) => /^(\.\/)?test\/|\.spec\.ts$/.test(argument));
const tier = (!areNamed && process.env.TEST_TIER) || 'all';

/** @type {import('jest').Config} */
module.exports = {
  rootDir: '..',
  testMatch: TIERS[tier],
  reporters: ['default', ['<rootDir>/test/support/tiers.cjs', { tier, heavy: HEAVY }]],
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
  testEnvironment: '<rootDir>/test/support/measured-environment.cjs',
  setupFilesAfterEnv: [
    '<rootDir>/test/support/equal-bytes.cjs',
    '<rootDir>/test/support/unread-responses.cjs',
  ],
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
  workerGracefulExitTimeout: 5_000,
};

/** The dependency rule of the house: http -> application -> domain <- infrastructure. A reason each. */
const within = (...folders) => folders.map((f) => `^src/[^/]+/${f}/`).join('|');

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'The policy has to be readable and testable without a framework, a codec or a database.',
      severity: 'error',
      from: { path: '^src/[^/]+/domain/' },
      to: { pathNot: ['^src/[^/]+/domain/', '^(node:)?(crypto|zlib)$'] },
    },
    {
      name: 'formats-know-bytes-only',
      comment: 'File formats are facts: they may use the words of the domain and nothing else.',
      severity: 'error',
      from: { path: '^src/compression/formats/' },
      to: { pathNot: ['^src/compression/(formats|domain)/', '^(node:)?zlib$'] },
    },
    {
      name: 'application-does-not-know-its-adapters',
      comment: 'Recipes ask ports; who answers is decided where the modules are wired.',
      severity: 'error',
      from: { path: within('application') },
      to: { path: `${within('infrastructure', 'http')}|^src/(operations|cli|rate-limit)/` },
    },
    {
      name: 'adapters-do-not-know-http',
      comment: 'A codec or a store works the same behind the command line.',
      severity: 'error',
      from: { path: within('infrastructure') },
      to: { path: `${within('http')}|^src/(operations|cli|rate-limit)/` },
    },
    {
      name: 'native-codecs-in-one-place',
      comment: 'Only the native engine may load compiled image code: nothing else must crash with it.',
      severity: 'error',
      from: { pathNot: '^src/compression/infrastructure/codecs/native/' },
      to: { path: 'node_modules/(sharp|@napi-rs/image)' },
    },
    {
      name: 'portable-codecs-in-one-place',
      comment: 'The portable engine is one folder, as the native one is.',
      severity: 'error',
      from: { pathNot: '^src/compression/infrastructure/codecs/squoosh/' },
      to: { path: 'node_modules/(@jsquash|jpeg-js|pngjs)' },
    },
    {
      name: 'no-codecs-in-the-service-process',
      comment: 'CPU work belongs into the workers; only a worker loads an engine.',
      severity: 'error',
      from: { pathNot: '^src/(compression/infrastructure/(codecs/|workers/worker-process))' },
      to: { path: '^src/compression/infrastructure/codecs/' },
    },
    {
      name: 'typeorm-in-persistence',
      comment: 'The database is a detail of the adapter and of the module that wires it.',
      severity: 'error',
      from: { pathNot: '^src/accounts/(infrastructure/persistence/|account-store\\.module\\.ts)' },
      to: { path: 'node_modules/(@nestjs/)?typeorm' },
    },
    {
      name: 'page-is-a-client',
      comment: 'The page runs in browsers: of the service it knows types, and what is said of an upload.',
      severity: 'error',
      from: { path: '^src/web/page/' },
      to: {
        path: '^(src/|(node:)?(fs|path|crypto|http))',
        pathNot: [
          '^src/web/page/',
          '^src/compression/formats/image-signature\\.ts$',
          '^src/compression/http/upload-problems\\.ts$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'page-libraries-in-the-page',
      comment: 'What is built into the page is not installed with the service.',
      severity: 'error',
      from: { pathNot: '^src/web/page/' },
      to: { path: ['node_modules/(preact|@preact|@panzoom|client-zip)', '^src/web/page/'] },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody uses is a file that nobody maintains.',
      severity: 'error',
      from: { orphan: true, pathNot: '^src/(main|cli/main|web/page/main)\\.tsx?$' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'require', 'types'] },
  },
};

/** The dependency rules, each with its reason. Inside a capability: http -> application -> domain <- infrastructure. */
const within = (...folders) => folders.map((f) => `^src/[^/]+/${f}/`).join('|');

/** The folders of src/ from the ground up: each may import those before it. `app` stands for the files of src/ itself. */
const LAYERS = [
  'contract',
  'environment',
  'observability',
  'http',
  'rate-limit',
  'accounts',
  'compression',
  'library',
  'web',
  'health',
  'openapi',
  'settings',
  'app',
  'cli',
];
const folder = (name) => (name === 'app' ? '^src/[^/]+$' : `^src/${name}/`);

const layerRules = LAYERS.slice(0, -1).map((name, i) => ({
  name: `${name}-knows-nothing-above-it`,
  comment: `Arrows between the folders of src/ point one way: ${LAYERS.slice(0, i + 1).join(', ')}.`,
  severity: 'error',
  from: { path: folder(name) },
  to: {
    path: LAYERS.slice(i + 1)
      .map(folder)
      .join('|'),
  },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'every-folder-has-a-layer',
      comment: 'A new folder of src/ gets its place in LAYERS.',
      severity: 'error',
      from: { path: '^src/', pathNot: LAYERS.map(folder) },
      to: {},
    },
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
      to: {
        pathNot: [
          '^src/[^/]+/domain/',
          '^src/contract/(report-words|image-signature)\\.ts$',
          '^(node:)?(crypto|zlib)$',
        ],
      },
    },
    {
      name: 'formats-know-bytes-only',
      comment: 'File formats are facts: they may use the words of the domain and nothing else.',
      severity: 'error',
      from: { path: '^src/compression/formats/' },
      to: {
        pathNot: [
          '^src/compression/(formats|domain)/',
          '^src/contract/image-signature\\.ts$',
          '^(node:)?zlib$',
        ],
      },
    },
    {
      name: 'application-does-not-know-its-adapters',
      comment: 'Recipes ask ports; who answers is decided where the modules are wired.',
      severity: 'error',
      from: { path: within('application') },
      to: { path: `${within('infrastructure', 'http')}|^src/(http|cli|rate-limit)/` },
    },
    {
      name: 'adapters-do-not-know-http',
      comment: 'A codec or a store works the same behind the command line.',
      severity: 'error',
      from: { path: within('infrastructure') },
      to: { path: `${within('http')}|^src/(http|cli|rate-limit)/` },
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
      name: 'library-without-the-server',
      comment:
        'A program that compresses images must not load a web framework, a database or a command line; neither must a worker.',
      severity: 'error',
      from: { path: '^src/(library/|compression/infrastructure/workers/)' },
      to: {
        path: [
          '^src/(accounts|cli|health|http|observability|openapi|rate-limit|settings|web)/',
          '^src/[^/]+/http/',
          '^src/[^/]+\\.ts$',
          'node_modules/(@nestjs|typeorm|rxjs|reflect-metadata|express|@fastify|pg|better-sqlite3|@redis|pino|prom-client|@opentelemetry|commander)',
        ],
        reachable: true,
      },
    },
    {
      name: 'library-is-a-door',
      comment: 'It is for programs of others; inside, everything uses the pool and the recipe themselves.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/library/' },
      to: { path: '^src/library/' },
    },
    {
      name: 'page-is-a-client',
      comment: 'The page runs in browsers: of the service it knows the contract.',
      severity: 'error',
      from: { path: '^src/web/page/' },
      to: {
        path: '^(src/|(node:)?(fs|path|crypto|http))',
        pathNot: ['^src/web/page/', '^src/contract/'],
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
      name: 'no-development-dependencies',
      comment:
        'An installed package has neither development dependencies nor packages that it does not declare.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/web/page/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only', 'npm'],
      },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody uses is a file that nobody maintains.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot:
          '^src/(main\\.ts|cli/main\\.ts|library/index\\.m?ts|web/page/main\\.tsx|openapi/reference/reference\\.js)$',
      },
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

const { dependencies: serverDependencies } = require('../server/package.json');

/** The dependency rules, each with its reason. Inside a capability: http -> application -> domain <- infrastructure. */
const within = (...folders) => folders.map((f) => `^src/[^/]+/${f}/`).join('|');

/**
 * The folders of src/, lowest layer first: each may import only earlier ones. `app` stands for the files of src/
 * itself.
 */
const LAYERS = [
  'contract',
  'environment',
  'files',
  'observability',
  'http',
  'rate-limit',
  'accounts',
  'compression',
  'sets',
  'guard',
  'tinify',
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
  comment: `Each folder of src/ may import only earlier ones: ${LAYERS.slice(0, i + 1).join(', ')}.`,
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
      comment: 'Add a new folder of src/ to LAYERS.',
      severity: 'error',
      from: { path: '^src/', pathNot: LAYERS.map(folder) },
      to: {},
    },
    {
      name: 'no-circular',
      comment: 'Two files that import each other should be one file, or share a third.',
      severity: 'error',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain must be readable and testable without a framework, a codec or a database.',
      severity: 'error',
      from: { path: '^src/[^/]+/domain/' },
      to: {
        pathNot: [
          '^src/[^/]+/domain/',
          '^src/contract/(report|report-words|formats|image-problems)\\.ts$',
          '^(node:)?(crypto|zlib)$',
        ],
      },
    },
    {
      name: 'formats-know-bytes-only',
      comment:
        'Parsers of file formats may use types of the domain and the sentences of refusals, and nothing else.',
      severity: 'error',
      from: { path: '^src/compression/formats/' },
      to: {
        pathNot: [
          '^src/compression/(formats|domain)/',
          '^src/contract/(formats|report-words|image-problems|comparison-problems)\\.ts$',
          '^(node:)?(zlib|stream/(consumers|promises))$',
        ],
      },
    },
    {
      name: 'application-does-not-know-its-adapters',
      comment: 'Recipes use ports; the modules choose their implementations.',
      severity: 'error',
      from: { path: within('application') },
      to: { path: `${within('infrastructure', 'http')}|^src/(http|cli|rate-limit)/` },
    },
    {
      name: 'adapters-do-not-know-http',
      comment: 'A codec or a store must also work with the command line.',
      severity: 'error',
      from: { path: within('infrastructure') },
      to: { path: `${within('http')}|^src/(http|cli|rate-limit)/` },
    },
    {
      name: 'native-codecs-in-one-place',
      comment: 'Only the native engine may load compiled image code, so that a crash affects nothing else.',
      severity: 'error',
      from: { pathNot: '^src/compression/infrastructure/codecs/native/' },
      to: { path: 'node_modules/(sharp|@napi-rs/image)' },
    },
    {
      name: 'portable-codecs-in-one-place',
      comment: 'All code of the portable engine is in one folder.',
      severity: 'error',
      from: { pathNot: '^src/compression/infrastructure/codecs/squoosh/' },
      to: { path: 'node_modules/(@jsquash|jpeg-js|pngjs)' },
    },
    {
      name: 'no-codecs-in-the-service-process',
      comment: 'Workers do the CPU work, so only a worker loads an engine.',
      severity: 'error',
      from: {
        pathNot: '^src/compression/infrastructure/(codecs/|process/worker-process)',
      },
      to: { path: '^src/compression/infrastructure/codecs/' },
    },
    {
      name: 'code-of-packages-in-workers',
      comment: 'The service reads the manifest of a codec package; only workers run its code.',
      severity: 'error',
      from: { pathNot: '^src/compression/infrastructure/codecs/' },
      to: { path: '^src/compression/packages/load-package' },
    },
    {
      name: 'typeorm-in-persistence',
      comment: 'Only the adapter and its module know the database.',
      severity: 'error',
      from: {
        pathNot:
          '^src/(accounts/(infrastructure/persistence/|accounts\\.module\\.ts)|tinify/(infrastructure/persistence/|tinify\\.module\\.ts))',
      },
      to: { path: 'node_modules/typeorm' },
    },
    {
      name: 'library-without-the-server',
      comment:
        'A program that compresses images must not load a web framework, a database or a command line; neither must a worker.',
      severity: 'error',
      from: { path: '^src/(library/|compression/infrastructure/process/)' },
      to: {
        path: [
          '^src/(accounts|cli|health|http|observability|openapi|rate-limit|settings|web)/',
          '^src/[^/]+/http/',
          '^src/[^/]+\\.ts$',
          'node_modules/(@nestjs|typeorm|rxjs|reflect-metadata|express|@fastify|pg|@photostructure|@redis|pino|prom-client|@opentelemetry|commander)',
        ],
        reachable: true,
      },
    },
    {
      name: 'library-is-a-door',
      comment:
        'The library is for other programs; code in src/ uses the pool and the recipes directly. JSON lines of the command line are its report.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/library/' },
      to: { path: '^src/library/', pathNot: '^src/library/report\\.ts$' },
    },
    {
      name: 'page-is-a-client',
      comment: 'The page runs in browsers and may import only the contract, and the map of differences.',
      severity: 'error',
      from: { path: '^src/web/page/' },
      to: {
        path: '^(src/|(node:)?(fs|path|crypto|http))',
        pathNot: ['^src/web/page/', '^src/contract/', '^src/compression/domain/score/difference-map\\.ts$'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'page-libraries-in-the-page',
      comment: 'Libraries of the page are bundled into it and not installed with the service.',
      severity: 'error',
      from: { pathNot: '^src/web/page/' },
      to: { path: ['node_modules/(preact|@preact)', '^src/web/page/'] },
    },
    {
      name: 'no-development-dependencies',
      comment:
        'An installed package has neither development dependencies nor packages that it does not declare: package.json declares those of the engine, server/package.json those of the service.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(web/page|openapi/reference)/' },
      to: {
        // The declarations of the library refer to the types of Node.js, which its users install.
        pathNot: `node_modules/(@types/node|${Object.keys(serverDependencies).join('|')})/`,
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only', 'npm'],
      },
    },
    {
      name: 'no-orphans',
      comment: 'Delete files that nothing imports.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot:
          '^src/(main\\.ts|cli/main\\.ts|library/(index\\.m?ts|(vite|astro)\\.ts)|web/page/main\\.tsx|openapi/reference/reference\\.js)$',
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

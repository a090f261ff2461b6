/**
 * Writes the files that are made from the built service, so that they cannot say anything else than it does.
 * With --check nothing is written, and a file that is not current fails.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import openapiTypescript, { astToString } from 'openapi-typescript';
import prettier from 'prettier';
import ts from 'typescript';
import { envExample } from './generators/env-example.mjs';
import { thirdPartyNotices } from './generators/third-party-notices.mjs';
import { prepare, root } from './prepare.mjs';

prepare();
const require = createRequire(import.meta.url);
const { describeService } = require('../dist/openapi/document.js');
const { SECRETS } = require('../dist/environment/secrets.js');
const { readSettings } = require('../dist/settings/settings.js');
const { settingsReference } = require('../dist/settings/settings-reference.js');
const isCheck = process.argv.includes('--check');

/**
 * Types of a client, from the OpenAPI document with the default settings. Binary contents are blobs; headers, of which
 * clients read a few by name, are left out: they would be three quarters of the file.
 */
async function clientTypes() {
  const blob = ts.factory.createTypeReferenceNode('Blob');
  const document = structuredClone(describeService(readSettings({})));
  for (const { responses } of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    for (const response of Object.values(responses)) delete response.headers;
  }
  const nodes = await openapiTypescript(document, {
    transform: ({ contentMediaType }) => (contentMediaType ? blob : undefined),
  });
  return `// Made by "npm run generate" from /openapi.json.\n\n${astToString(nodes)}`;
}

/** The settings, as a table. */
function configuration() {
  const code = (text) => (text === undefined ? '' : `\`${text}\``);
  const rows = settingsReference().map(
    ({ name, defaultValue, accepts = '', meaning }) =>
      `| ${code(name)} | ${code(defaultValue)} | ${accepts.replaceAll('<', '\\<')} | ${meaning} |`,
  );
  return [
    '# Configuration',
    '',
    '<!-- Made by "npm run generate" from src/settings: change it there. -->',
    '',
    'Environment variables, read once at start. An empty variable counts as not set. All faults are reported at once,',
    'with the names of the variables, and the process exits with 1 (the command line: 2). Passwords and codes are never',
    'repeated in messages.',
    '',
    `${[...SECRETS].map(code).join(', ')} can be read from files: ${[...SECRETS].map((name) => code(`${name}_FILE`)).join(', ')}`,
    'name them. A line break at the end of such a file does not count.',
    '',
    '| Variable | Default | Accepts | Meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** A hot loop in AssemblyScript, as a module that needs no file at run time. */
async function webAssembly(name) {
  const source = join(root, 'assembly', `${name}.ts`);
  const options = [
    '-O3',
    '--noAssert',
    '--converge',
    '--enable',
    'simd',
    '--runtime',
    'stub',
    '--initialMemory',
    '2',
  ];
  let compiled;
  const { error, stderr } = await asc.main([source, ...options, '--outFile', 'out.wasm'], {
    writeFile: (_, contents) => void (compiled = contents),
  });
  if (error) throw new Error(stderr.toString());
  const base64 = Buffer.from(compiled).toString('base64');
  const constant = `${name.toUpperCase().replaceAll('-', '_')}_MODULE`;
  return `// Made by "npm run generate" from assembly/${name}.ts.\n\nexport const ${constant} = '${base64}';\n`;
}

const files = {
  'src/compression/domain/score/fine-structure-module.ts': () => webAssembly('fine-structure'),
  'src/compression/domain/near-lossless/near-lossless-module.ts': () => webAssembly('near-lossless'),
  'src/compression/domain/palette/palette-matches-module.ts': () => webAssembly('palette-matches'),
  'docs/configuration.md': configuration,
  'config/.env.example': () => envExample(settingsReference()),
  'THIRD-PARTY-NOTICES.md': () =>
    thirdPartyNotices(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))),
  'test/contract/openapi/service-client.d.ts': clientTypes,
};

/** As "npm run format" would leave it; Prettier does not know every kind of file. */
async function laidOut(path, text) {
  const { inferredParser } = await prettier.getFileInfo(path);
  if (!inferredParser) return text;
  return prettier.format(text, { ...(await prettier.resolveConfig(path)), filepath: path });
}

let stale = 0;
for (const [name, make] of Object.entries(files)) {
  const path = join(root, name);
  const wanted = await laidOut(path, await make());
  const current = readFileSync(path, { encoding: 'utf8', flag: isCheck ? 'r' : 'a+' });
  if (current === wanted) continue;
  if (!isCheck) writeFileSync(path, wanted);
  else console.error(`${name} is not current: run "npm run generate" and commit what it writes.`);
  stale++;
}
if (isCheck && stale > 0) process.exit(1);

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
import { prepare, root } from './prepare.mjs';

prepare();
const require = createRequire(import.meta.url);
const { describeService } = require('../dist/operations/openapi/document.js');
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
    '| Variable | Default | Accepts | Meaning |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** The score's hot loop, as a module that needs no file at run time. */
async function fineStructure() {
  const source = join(root, 'assembly', 'fine-structure.ts');
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
  return `// Made by "npm run generate" from assembly/fine-structure.ts.\n\nexport const FINE_STRUCTURE_MODULE = '${base64}';\n`;
}

const files = {
  'src/compression/domain/score/fine-structure-module.ts': fineStructure,
  'docs/configuration.md': configuration,
  'test/contract/openapi/service-client.d.ts': clientTypes,
};

let stale = 0;
for (const [name, make] of Object.entries(files)) {
  const path = join(root, name);
  const wanted = await prettier.format(await make(), {
    ...(await prettier.resolveConfig(path)),
    filepath: path,
  });
  const current = readFileSync(path, { encoding: 'utf8', flag: isCheck ? 'r' : 'a+' });
  if (current === wanted) continue;
  if (!isCheck) writeFileSync(path, wanted);
  else console.error(`${name} is not current: run "npm run generate" and commit what it writes.`);
  stale++;
}
if (isCheck && stale > 0) process.exit(1);

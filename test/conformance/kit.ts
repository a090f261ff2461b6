/** Runs the checks of an engine or of a package's format in a process of its own; the last line is the verdict. */
import { ENGINE_NAMES } from '../../src/compression/application/codecs.port';
import { listResultFormats } from '../../src/compression/application/formats';
import { loadEngine } from '../../src/compression/infrastructure/codecs/engines';
import { findFormatPackage, findPackage } from '../../src/compression/packages/codec-package';
import { loadFormat } from '../../src/compression/packages/load-package';
import type { FormatManifest } from '../../src/compression/packages/manifest';
import { ImageRefused } from '../../src/contract/image-problems';
import { errorMessage } from '../../src/contract/problem';
import { Formats } from '../../src/contract/formats';
import type { Checks } from './checks';
import { FORMAT_CHECKS } from './format-checks';
import { JPEG_CHECKS } from './jpeg-checks';
import { measureCurve, measureMemory } from './measure';
import { PNG_CHECKS } from './png-checks';
import { measureUpload, measureUploads, readSamples, UPLOAD_CHECKS, type Uploads } from './upload-checks';

/** A worker may take this much more than the manifest states before it is stopped. */
const MEMORY_MARGIN = { factor: 1.25, megabytes: 64 };

/** `files`: the folder of an author's files; with the purpose `measure`, one of them. */
const [, , subject = '', from = '', files = '', purpose = ''] = process.argv;
const verdicts: boolean[] = [];
const print = (text: string) => new Promise((resolve) => process.stdout.write(text, resolve));

async function runChecks<Subject>(title: string, checks: Checks<Subject>, subject: Subject) {
  await print(`${title}\n`);
  for (const [name, check] of Object.entries(checks)) {
    await print(`  ${name} ... `);
    try {
      const nothing = await check(subject);
      verdicts.push(true);
      await print(typeof nothing === 'string' ? `not checked: ${nothing}\n` : 'ok\n');
    } catch (error) {
      verdicts.push(false);
      await print(`FAIL\n    ${errorMessage(error).split('\n')[0]}\n`);
    }
  }
}

const ADDED_CHECKS: Checks<Uploads> = {
  async 'a file that ends after its signature is refused'({ upload, manifest: { signatures } }) {
    if (signatures.length === 0) throw new Error('the manifest has no "signatures"');
    for (const { offset, hex } of signatures) {
      const file = Buffer.concat([Buffer.alloc(offset), Buffer.from(hex, 'hex')]);
      for (const read of [
        () => upload.dimensions(file),
        () => upload.decode(file, { width: 1, height: 1 }),
      ]) {
        const fault: unknown = await read().catch((error: unknown) => error);
        if (!(fault instanceof ImageRefused)) throw new Error('it is read');
      }
    }
  },
  ...UPLOAD_CHECKS,
};

interface Memory {
  readonly bytesPerPixel: number;
  readonly baseMegabytes: number;
}

function refuseMore({ bytesPerPixel, baseMegabytes }: Memory, stated: Memory) {
  if (bytesPerPixel > stated.bytesPerPixel * MEMORY_MARGIN.factor)
    throw new Error(`${bytesPerPixel} bytes per pixel, more than bytesPerPixel`);
  if (baseMegabytes > stated.baseMegabytes + MEMORY_MARGIN.megabytes)
    throw new Error(`${baseMegabytes} MB besides, more than baseMegabytes`);
}

async function testFormat(path: string, manifest: FormatManifest) {
  const { found } = findFormatPackage(path, path, Formats.builtIn);
  const { result: format, upload } = await loadFormat(found);
  if (upload && purpose === 'measure') return measureUpload(upload, files);
  const memory: Memory[] = [];
  const stays = (measured: Memory) => {
    memory.push(measured);
    refuseMore(measured, manifest);
  };
  if (upload) {
    const samples = await readSamples(upload, manifest, files);
    const uploads = { upload, manifest, samples };
    await runChecks(`Uploads in ${manifest.label}`, ADDED_CHECKS, uploads);
    const checks: Checks<Uploads> = {
      'memory stays within the manifest': () =>
        Promise.resolve(uploads).then((all) => stays(measureUploads(all, path))),
    };
    await runChecks(`Their memory`, checks, uploads);
  }
  let curve = {};
  if (format) {
    const checks = {
      'memory stays within the manifest': async () => stays(await measureMemory(format)),
      ...FORMAT_CHECKS,
    };
    await runChecks(`The format ${manifest.label}`, checks, format);
    if (format.lossy.length > 0) curve = await measureCurve(format, format.lossy[0]);
  }
  const most = (name: keyof Memory) => Math.max(...memory.map((each) => each[name]));
  const measured = { bytesPerPixel: most('bytesPerPixel'), baseMegabytes: most('baseMegabytes'), ...curve };
  const lines = Object.entries(memory.length > 0 ? measured : curve).map(
    ([name, value]) => `  "${name}": ${JSON.stringify(value)}`,
  );
  if (lines.length > 0) await print(`Measured, for the manifest:\n${lines.join(',\n')}\n`);
}

async function testEngine(name: string) {
  const engine = await loadEngine(name);
  await runChecks(`The engine ${name}`, { ...JPEG_CHECKS, ...PNG_CHECKS }, engine);
  for (const format of listResultFormats(engine))
    await runChecks(`${format.label} of the engine ${name}`, FORMAT_CHECKS, format);
}

/** @param subject the name of an engine of this repository, or the name or path of a package, seen from the folder `from` */
async function test(subject: string, from: string) {
  if (ENGINE_NAMES.some((name) => name === subject)) await testEngine(subject);
  else {
    const { path, manifest } = findPackage(subject, from);
    if (manifest.format) await testFormat(path, manifest.format);
    if (manifest.engine) await testEngine(path);
    if (!manifest.format && !manifest.engine) throw new Error('it declares neither a format nor an engine');
  }
  if (purpose === 'measure') return;
  const failed = verdicts.filter((passed) => !passed).length;
  await print(
    failed ? `${failed} of ${verdicts.length} checks failed.\n` : `All ${verdicts.length} checks passed.\n`,
  );
  process.exit(failed ? 1 : 0);
}

// If a promise of the package never settles, Node.js ends without the last line.
process.exitCode = 1;
test(subject, from).catch(async (error: unknown) => {
  await print(`${subject} cannot be tested: ${errorMessage(error).split('\n')[0]}\n`);
  process.exit(1);
});

/** Runs the checks of an engine or of a package's format in a process of its own; the last line is the verdict. */
import { ENGINE_NAMES } from '../../src/compression/application/codecs.port';
import type { UploadReader } from '../../src/compression/application/result-format.port';
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

/** A worker may take this much more than the manifest states before it is stopped. */
const MEMORY_MARGIN = { factor: 1.25, megabytes: 64 };

const verdicts: boolean[] = [];
const print = (text: string) => new Promise((resolve) => process.stdout.write(text, resolve));

async function runChecks<Subject>(title: string, checks: Checks<Subject>, subject: Subject): Promise<void> {
  await print(`${title}\n`);
  for (const [name, check] of Object.entries(checks)) {
    await print(`  ${name} ... `);
    const reason = await check(subject).then(
      () => undefined,
      (error: unknown) => errorMessage(error).split('\n')[0],
    );
    verdicts.push(reason === undefined);
    await print(reason === undefined ? 'ok\n' : `FAIL\n    ${reason}\n`);
  }
}

type Uploads = { readonly upload: UploadReader; readonly manifest: FormatManifest };
const UPLOAD_CHECKS: Checks<Uploads> = {
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
};

async function testFormat(path: string, manifest: FormatManifest): Promise<void> {
  const { found } = findFormatPackage(path, path, Formats.builtIn);
  const { result: format, upload } = await loadFormat(found);
  if (upload) await runChecks(`Uploads in ${manifest.label}`, UPLOAD_CHECKS, { upload, manifest });
  if (!format) return;
  let memory = {};
  const stays = async () => {
    const { bytesPerPixel, baseMegabytes } = (memory = await measureMemory(format));
    if (bytesPerPixel > manifest.bytesPerPixel * MEMORY_MARGIN.factor)
      throw new Error(`${bytesPerPixel} bytes per pixel, more than bytesPerPixel`);
    if (baseMegabytes > manifest.baseMegabytes + MEMORY_MARGIN.megabytes)
      throw new Error(`${baseMegabytes} MB besides, more than baseMegabytes`);
  };
  const checks = { 'memory stays within the manifest': stays, ...FORMAT_CHECKS };
  await runChecks(`The format ${manifest.label}`, checks, format);
  const curve = format.lossy.length > 0 ? await measureCurve(format, format.lossy[0]) : {};
  const members = Object.entries({ ...memory, ...curve }).map((pair) =>
    pair.map((part) => JSON.stringify(part)),
  );
  const lines = members.map(([name, value]) => `  ${name}: ${value}`);
  await print(`Measured, for the manifest:\n${lines.join(',\n')}\n`);
}

async function testEngine(name: string): Promise<void> {
  const engine = await loadEngine(name);
  await runChecks(`The engine ${name}`, { ...JPEG_CHECKS, ...PNG_CHECKS }, engine);
  for (const format of listResultFormats(engine))
    await runChecks(`${format.label} of the engine ${name}`, FORMAT_CHECKS, format);
}

/** @param subject the name of an engine of this repository, or the name or path of a package, seen from the folder `from` */
async function test(subject: string, from: string): Promise<void> {
  if (ENGINE_NAMES.some((name) => name === subject)) await testEngine(subject);
  else {
    const { path, manifest } = findPackage(subject, from);
    if (manifest.format) await testFormat(path, manifest.format);
    if (manifest.engine) await testEngine(path);
    if (!manifest.format && !manifest.engine) throw new Error('it declares neither a format nor an engine');
  }
  const failed = verdicts.filter((passed) => !passed).length;
  await print(
    failed ? `${failed} of ${verdicts.length} checks failed.\n` : `All ${verdicts.length} checks passed.\n`,
  );
  process.exit(failed ? 1 : 0);
}

const [, , subject = '', from = ''] = process.argv;
// If a promise of the package never settles, Node.js ends without the last line.
process.exitCode = 1;
test(subject, from).catch(async (error: unknown) => {
  await print(`${subject} cannot be tested: ${errorMessage(error).split('\n')[0]}\n`);
  process.exit(1);
});

/** `codec test`: checks that a package which adds a format or an engine does what the service relies on. */
import type { Command } from 'commander';
import { ENGINE_NAMES } from '../../compression/application/codecs.port';
import { findPackage, PackageFault } from '../../compression/packages/codec-package';
import { userFolder } from '../../environment/settings-slice';
import { CliFailure, UsageFault } from '../outcome';
import { CODEC_HELP } from '../help';
import { measureFormat, runKit, type CheckVerdict, type Subject } from './run-kit';

export function addCodecCommand(program: Command): void {
  program
    .command('codec')
    .description('check packages that add formats or engines')
    .command('test <package>')
    .description('run the conformance kit on a package, by name or path, or on native or squoosh')
    .addHelpText('after', CODEC_HELP)
    .action(test);
}

/** A worker may take this much more than the manifest states before it is stopped. */
const MEMORY_MARGIN = 1.25;

async function test(specifier: string): Promise<void> {
  let failures = 0;
  let checks = 0;
  const report = ({ name, reason }: CheckVerdict) => {
    checks++;
    if (reason !== undefined) failures++;
    process.stdout.write(reason === undefined ? `  ok    ${name}\n` : `  FAIL  ${name}\n        ${reason}\n`);
  };
  for (const subject of subjectsOf(specifier)) {
    process.stdout.write(`${subject.label}\n`);
    await runKit(subject, report);
    if (subject.manifest) await compareWithManifest(subject, subject.manifest, report);
  }
  if (failures > 0) throw new CliFailure(`${failures} of ${checks} checks failed.`);
  process.stdout.write(`All ${checks} checks passed.\n`);
}

/** Reports whether the format takes no more memory than its manifest states, and prints the measured values. */
async function compareWithManifest(
  subject: Subject,
  declared: NonNullable<Subject['manifest']>,
  report: (verdict: CheckVerdict) => void,
): Promise<void> {
  const { memory, curve } = await measureFormat(subject);
  const isWithin =
    memory.bytesPerPixel <= declared.bytesPerPixel * MEMORY_MARGIN &&
    memory.baseMegabytes <= declared.baseMegabytes + 64;
  const reason = isWithin ? undefined : 'more than bytesPerPixel and baseMegabytes state';
  report({ name: 'memory stays within the manifest', reason });
  const measured = Object.entries({ ...memory, ...curve }).map(
    ([member, value]) => `  ${JSON.stringify(member)}: ${JSON.stringify(value)}`,
  );
  process.stdout.write(`Measured, for the manifest:\n${measured.join(',\n')}\n`);
}

/** @throws UsageFault when there is no such package */
function subjectsOf(specifier: string): Subject[] {
  if (ENGINE_NAMES.some((name) => name === specifier))
    return [{ kind: 'engine', name: specifier, label: `The engine ${specifier}` }];
  try {
    const { path, manifest } = findPackage(specifier, userFolder);
    const { format, engine } = manifest;
    const subjects: Subject[] = [];
    if (format)
      subjects.push({ kind: 'format', name: path, label: `The format ${format.label}`, manifest: format });
    if (engine) subjects.push({ kind: 'engine', name: path, label: `The engine ${specifier}` });
    if (subjects.length === 0) throw new PackageFault(`${specifier} declares neither a format nor an engine`);
    return subjects;
  } catch (error) {
    throw error instanceof PackageFault ? new UsageFault(`${error.message}.`) : error;
  }
}

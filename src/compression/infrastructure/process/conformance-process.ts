/**
 * The entry point of a process that runs the conformance kit on one engine or package, and sends each verdict to its parent. A
 * codec that crashes ends only this process; the parent then starts another one behind the check that was running.
 */
import { RESULT_FORMATS, type BuiltInFormat } from '../../../contract/formats';
import { ResultFormats } from '../../../contract/result-formats';
import { messageOf } from '../../../contract/problem';
import type { AddedFormat } from '../../application/result-format.port';
import { canWrite, resultFormatOf } from '../../application/results/result-formats';
import { ENGINE_CHECKS } from '../../conformance/engine-checks';
import { checksOf } from '../../conformance/format-checks';
import {
  measureCurve,
  measureMemory,
  type MeasuredCurve,
  type MeasuredMemory,
} from '../../conformance/measure';
import type { TestedFormat } from '../../conformance/tested-format';
import { findFormatPackage } from '../../packages/codec-package';
import { loadFormat } from '../../packages/load-package';
import { loadEngine } from '../codecs/engines';

/** What this process sends. */
export type KitMessage =
  | { readonly kind: 'checks'; readonly names: readonly string[] }
  /** Before a function of a package is called. */
  | { readonly kind: 'calls'; readonly what: string }
  | { readonly kind: 'passed'; readonly index: number }
  | { readonly kind: 'failed'; readonly index: number; readonly reason: string }
  | { readonly kind: 'measured'; readonly memory: MeasuredMemory; readonly curve: MeasuredCurve | undefined };

interface Check {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** The function that was called last. */
let doing = 'loading';

/** The arguments: what is tested, its name or path, and the check to start with or `measure`. */
const [, , kind, name, start] = process.argv as [string, string, 'engine' | 'format', string, string];

async function engineChecks(): Promise<Check[]> {
  const engine = await loadEngine(name);
  const formats = (Object.keys(RESULT_FORMATS) as BuiltInFormat[]).filter((format) =>
    canWrite(engine, format),
  );
  return [
    ...ENGINE_CHECKS.map((check): Check => ({ name: check.name, run: () => check.run(engine) })),
    ...formats.flatMap((format) => {
      const tested = resultFormatOf(engine, format);
      return formatChecks(tested, `as a result, ${tested.label}: `);
    }),
  ];
}

function formatChecks(format: TestedFormat, prefix = ''): Check[] {
  return checksOf(format).map((check) => ({ name: prefix + check.name, run: () => check.run(format) }));
}

async function addedFormat(): Promise<AddedFormat & TestedFormat> {
  const { found, resultFormats } = findFormatPackage(name, name, ResultFormats.builtIn);
  const loaded = await loadFormat(found);
  const { encodeLosslessly, lossy, read } = loaded;
  return {
    ...loaded,
    ...(found.manifest.format?.signatures.length
      ? { formatOf: (file) => resultFormats.bySignature(file) }
      : {}),
    ...(encodeLosslessly ? { encodeLosslessly: announced('encodeLosslessly', encodeLosslessly) } : {}),
    lossy: lossy.map((coding) => ({ ...coding, encode: announced('encode', coding.encode.bind(coding)) })),
    decode: announced('decode', loaded.decode.bind(loaded)),
    read: announced('decode', read),
  };
}

/** Tells the parent before each call, so that it can say which one does not finish. */
function announced<Args extends unknown[], Result>(
  what: string,
  call: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    doing = what;
    await send({ kind: 'calls', what: `"${what}"` });
    return call(...args);
  };
}

async function runChecks(): Promise<void> {
  const checks = kind === 'engine' ? await engineChecks() : formatChecks(await addedFormat());
  doing = 'a check';
  await send({ kind: 'checks', names: checks.map((check) => check.name) });
  for (const [index, { run }] of checks.entries()) {
    if (index < Number(start)) continue;
    try {
      await run();
      await send({ kind: 'passed', index });
    } catch (error) {
      await send({ kind: 'failed', index, reason: messageOf(error).split('\n')[0] });
    }
  }
}

async function measure(): Promise<void> {
  const format = await addedFormat();
  const memory = await measureMemory(format);
  const [coding] = format.lossy;
  const curve = format.lossy.length > 0 ? await measureCurve(format, coding) : undefined;
  await send({ kind: 'measured', memory, curve });
}

function send(message: KitMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

process.on('beforeExit', () => {
  process.stderr.write(`${doing} waits for nothing: its promise never settles\n`);
  process.exit(3);
});

(start === 'measure' ? measure() : runChecks()).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(2);
  },
);

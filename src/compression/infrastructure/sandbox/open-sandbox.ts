/** Chooses the strongest sandbox by starting the first worker in each: no code runs outside of it. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { SandboxMode } from '../../application/running/compression-runner.port';
import { bubblewrap } from './bubblewrap';
import { landlock } from './landlock';
import { NO_SANDBOX, WorkersUnusable, type Sandbox } from './sandbox';
import { filterFile } from './system-call-filter';
import { WorkerFiles } from './worker-files';

export interface SandboxRequest {
  readonly mode: SandboxMode;
  /** Absolute paths that workers read besides this package. */
  readonly readable?: readonly string[];
  /** As the operator named them. */
  readonly packages?: readonly string[];
}

export interface OpenedSandbox {
  readonly sandbox: Sandbox;
  /** One sentence for the operator: the protection, and why it is not a stronger one. */
  readonly summary: string;
}

/** `isFinal`: it will not start in another sandbox either. */
interface StartFault {
  readonly cause: string;
  readonly isFinal?: boolean;
}

/**
 * @param startIn resolves to the reason if a worker cannot load its codecs
 * @throws WorkersUnusable when the required sandbox does not work, or a worker cannot start even without one
 */
export async function openSandbox(
  { mode, readable = [], packages = [] }: SandboxRequest,
  startIn: (sandbox: Sandbox) => Promise<StartFault | undefined>,
): Promise<OpenedSandbox> {
  const faults: string[] = [];
  for (const confine of mode === 'off' ? [] : candidates(mode, faults)) {
    const files = new WorkerFiles(readable);
    for (const libraries = ownLibraries(); ;) {
      const sandbox = confine(
        files,
        libraries.filter((library) => !files.includes(library)),
      );
      const fault = await startIn(sandbox);
      if (!fault) return { sandbox, summary: summarise(sandbox, faults) };
      if (fault.isFinal) throw cannotStart(fault);
      const missing = missingLibrary(fault.cause, libraries);
      if (missing === undefined) {
        faults.push(`${sandbox.protection}: ${fault.cause}`);
        break;
      }
      libraries.push(missing);
    }
  }
  if (mode === 'required')
    throw new WorkersUnusable(`The required sandbox of the workers does not work here: ${faults.join('; ')}`);
  const fault = await startIn(NO_SANDBOX);
  if (fault) throw cannotStart(fault);
  return { sandbox: NO_SANDBOX, summary: unconfined(mode, packages, faults) };
}

const cannotStart = ({ cause }: StartFault) => new WorkersUnusable(`The codec engine cannot start: ${cause}`);

type Confine = (files: WorkerFiles, libraries: readonly string[]) => Sandbox;

/** The strongest first. */
function candidates(mode: SandboxMode, faults: string[]): Confine[] {
  if (process.platform !== 'linux') {
    faults.push('it needs Linux');
    return [];
  }
  // Otherwise a sandboxed process could not be found, to stop it or to watch its memory.
  const hasChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);
  if (!hasChildren) faults.push('bubblewrap: it needs a kernel with CONFIG_PROC_CHILDREN');
  return [...(hasChildren ? [bubblewrap] : []), ...(mode === 'auto' ? [landlock] : [])];
}

/** Libraries of glibc that the built-in engine loads and Node.js does not. */
const ENGINE_LIBRARIES = ['librt.so.1', 'libresolv.so.2'];

function ownLibraries() {
  // With the network, the report would look up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true });
  const { sharedObjects } = process.report.getReport() as { readonly sharedObjects: readonly string[] };
  const own = sharedObjects.filter(isAbsolute);
  const others = own.flatMap((library) => ENGINE_LIBRARIES.map((name) => join(dirname(library), name)));
  return [...new Set([...own, ...others])].filter(existsSync);
}

/** The messages of glibc and musl about a library that they cannot open. */
const MISSING =
  /(?<![\w.+-])([\w.+-]{1,99}): cannot open shared object|loading shared library ([\w.+-]{1,99}):/;
const LIBRARY_FOLDERS = ['/lib', '/usr/lib', '/usr/local/lib', '/lib64', '/usr/lib64'];

/** Undefined if the system has none, or the worker has it. */
function missingLibrary(fault: string, known: readonly string[]) {
  const found = MISSING.exec(fault);
  if (!found) return undefined;
  const name = found.slice(1).join('');
  const variable = process.env['LD_LIBRARY_PATH']?.split(':').filter(isAbsolute) ?? [];
  return [...variable, ...known.map(dirname), ...LIBRARY_FOLDERS]
    .map((folder) => join(folder, name))
    .find((library) => existsSync(library) && !known.includes(library));
}

function summarise({ protection }: Sandbox, faults: readonly string[]) {
  const isOpen = filterFile('landlock') === undefined;
  const what =
    protection === 'bubblewrap'
      ? `sandboxed by bubblewrap${isOpen ? ', but all system calls are open' : ''}`
      : `confined by Landlock${isOpen ? ', which leaves them the network and signals' : ''}`;
  return `Workers are ${what}${inBrackets(faults)}.`;
}

function unconfined(mode: SandboxMode, packages: readonly string[], faults: readonly string[]) {
  if (mode === 'off') return 'Workers are not sandboxed: it is switched off.';
  const code = packages.length > 0 ? `, nor is the code of ${packages.join(', ')}` : '';
  return `Workers are not sandboxed${code}${inBrackets(faults)}.`;
}

const inBrackets = (faults: readonly string[]) => (faults.length > 0 ? ` (${faults.join('; ')})` : '');

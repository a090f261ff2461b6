import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { openSandbox } from '../../../../../src/compression/infrastructure/sandbox/open-sandbox';
import type { Sandbox } from '../../../../../src/compression/infrastructure/sandbox/sandbox';

const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;

/** A first worker that meets the faults of this list, one for each start. */
function starting(...faults: readonly (string | undefined)[]) {
  const tried: Sandbox[] = [];
  const start = (sandbox: Sandbox) => {
    const cause = faults[tried.length];
    tried.push(sandbox);
    return Promise.resolve(cause === undefined ? undefined : { cause, isFinal: cause === 'hangs' });
  };
  return { start, names: () => tried.map(({ protection }) => protection), tried };
}

describeOnLinux('the first worker starts in the strongest sandbox that works', () => {
  it('the code of a package is never tried outside of a required sandbox', async () => {
    const { start, names } = starting('denied', 'denied');
    const opened = openSandbox({ mode: 'required', packages: ['qoi'] }, start);
    await expect(opened).rejects.toThrow('does not work here: bubblewrap: denied');
    expect(names()).toEqual(['bubblewrap']);
  });

  it('with auto, a warning says what is not confined', async () => {
    const { start, names } = starting('no namespaces', 'no Landlock');
    const { sandbox, summary } = await openSandbox({ mode: 'auto', packages: ['qoi', './heic'] }, start);
    expect(names()).toEqual(['bubblewrap', 'landlock', 'none']);
    expect(sandbox.protection).toBe('none');
    expect(summary).toBe(
      'Workers are not sandboxed, nor is the code of qoi, ./heic (bubblewrap: no namespaces; landlock: no Landlock).',
    );
  });

  it('a package that does not finish loading is tried once', async () => {
    const { start, names } = starting('hangs');
    await expect(openSandbox({ mode: 'auto' }, start)).rejects.toThrow('cannot start: hangs');
    expect(names()).toEqual(['bubblewrap']);
  });

  it('a library of the system that the worker does not find is added', async () => {
    const libraries = (process.report.getReport() as { sharedObjects: string[] }).sharedObjects;
    const folder = dirname(libraries.find((library) => library.includes('libc'))!);
    const other = readdirSync(folder).find(
      (name) => /^lib\w+\.so\.\d+$/.test(name) && !libraries.some((library) => library.endsWith(name)),
    );
    const { start, names, tried } = starting(
      `${other}: cannot open shared object file: No such file or directory`,
      'Error loading shared library libabsent.so.1: No such file',
    );
    await openSandbox({ mode: 'auto' }, start);
    expect(names()).toEqual(['bubblewrap', 'bubblewrap', 'landlock']);
    const [before, after] = tried.map((sandbox) =>
      sandbox.confine({ program: 'node', args: [], env: {} }).args.includes(`${folder}/${other}`),
    );
    expect([before, after]).toEqual([false, true]);
  });
});

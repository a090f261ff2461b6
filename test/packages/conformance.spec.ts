import { dirname } from 'node:path';
import { PNG } from 'pngjs';
import { expectEnd } from '../support/ended';
import { PROJECT } from '../support/folders';
import { formatOf, put, QOI } from './package-folder';
import { exampleFile, ppmManifest } from './tutorial';

const RUN = 'test/conformance/run.mjs';

/** For a check on a busy machine, in seconds. */
const PATIENCE = '600';

/** The kit ends checks that take too long itself. */
const runKit = (...args: readonly string[]) =>
  PROJECT.program(process.execPath, [RUN, ...args], { timeout: 0 });

function verdictsOf(name: string, code: string, seconds = PATIENCE) {
  put(`${name}.json`, formatOf({}));
  return runKit(put(`${name}.mjs`, `${QOI}\n${code}`), seconds);
}

it('names the check that fails, and goes on', () => {
  const { status, stdout } = verdictsOf(
    'random',
    `const { encodeLosslessly } = format;
    format.encodeLosslessly = async (pixels) =>
      Buffer.concat([await encodeLosslessly(pixels), Buffer.from(String(Math.random()))]);`,
  );
  expect(stdout).toMatch(/the same image gives the same bytes.* FAIL\n +without loss, 1 × 1/);
  expect(stdout).toMatch(
    /damaged bytes are refused.* ok\nMeasured, for the manifest:\n {2}"bytesPerPixel": \d/,
  );
  expect([status, stdout.trim().split('\n').at(-1)]).toEqual([1, '2 of 9 checks failed.']);
});

it.each([
  ['endless', 'format.encodeLosslessly = () => { for (;;); };', '2', 'did not finish within 2 s'],
  ['silent', 'format.decode = () => new Promise(() => {});', undefined, 'ended the process: exit code 1'],
  [
    'exits',
    'format.decode = () => process.kill(process.pid, "SIGKILL");',
    undefined,
    'ended the process: SIGKILL',
  ],
])('a package that is %s ends the kit', (name, code, seconds, cause) => {
  expectEnd(verdictsOf(name, code, seconds), 1, `... FAIL\n    ${cause}\n`, 'stdout');
});

it('says what a package lacks', () => {
  put('bare.json', { apiVersion: 1 });
  const ended = runKit(put('bare.mjs', ''));
  expectEnd(ended, 1, 'it declares neither a format nor an engine', 'stdout');
});

describe('a package that reads uploads', () => {
  const ppm = (side: number) =>
    Buffer.concat([Buffer.from(`P6 ${side} ${side} 255\n`), Buffer.alloc(3 * side ** 2, 'PPM')]);
  function verdictsOnFiles(code: string, ...options: string[]) {
    put('ppm.json', ppmManifest);
    const path = put('ppm.mjs', `${exampleFile('ppm.mjs')}\n${code}`);
    return runKit(path, PATIENCE, ...options);
  }
  const folder = dirname(put('samples/small.ppm', ppm(40)));
  put('samples/large.ppm', ppm(2000));
  put('samples/small.png', PNG.sync.write(new PNG({ width: 40, height: 40, fill: true })));

  it('fails if there is nothing to check', () => {
    const empty = dirname(put('empty/small.txt', ''));
    expect(verdictsOnFiles('').stdout).toContain('name a folder of its files');
    expectEnd(verdictsOnFiles('', '--files', empty), 1, 'has no file named *.ppm', 'stdout');
  });

  it('fails for each fault', () => {
    const { status, stdout } = verdictsOnFiles(
      `const { dimensions } = format;
      const shared = new Uint8Array(3 * 2000 ** 2);
      const kept = [];
      format.dimensions = (file) => {
        kept.push(new Uint8Array(2e7).fill(1));
        try { return dimensions(file); } catch { throw new TypeError('x is not a function'); }
      };
      format.decode = (file) => {
        const { width, height } = dimensions(file);
        const data = shared.subarray(0, width * height * 3).fill(file.length);
        const exif = Buffer.from('4d4d002a00000008000101120003000000010006000000000000', 'hex');
        for (let i = width; i > 1000; i -= 100) kept.push(new Uint8Array(3e7).fill(1));
        return { width, height, channels: 3, data, exif };
      };`,
      '--files',
      folder,
    );
    const faults = [...stdout.matchAll(/FAIL\n +(.*)/g)].map(([, fault]) => fault.replace(/[\d.]+/g, 'N'));
    const sentence =
      'The package of the format ppm fails: "dimensions" throws: x is not a function: throw an Error that says what is wrong with the file';
    expect(faults).toEqual([
      'takes N MB',
      'smallNppm: the difference to its PNG is N of N',
      'smallNppm: turn the pixels, and say so in EXIF',
      'smallNppm: other pixels than before',
      sentence,
      sentence,
      'N bytes per pixel, more than bytesPerPixel',
    ]);
    expect(status).toBe(1);
  });
});

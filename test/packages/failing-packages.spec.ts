import { Workplace } from '../support/command-line';
import { png, screenshot } from '../support/drawn-pngs';
import { folder, put, QOI } from './package-folder';
import { qoiManifest } from './tutorial';

describe('a package that fails with an image fails the command, with one sentence', () => {
  const place = new Workplace();
  place.put('drawing.png', png(40, 30, screenshot));
  const failing = (name: string, code: string) => {
    put(`failing/${name}.json`, qoiManifest);
    put(`failing/${name}.mjs`, `${QOI}\n${code}`);
    return `./failing/${name}.mjs`;
  };
  const FAILS = 'The package of the format qoi fails: ';

  it.each([
    [
      failing('no-encoder', 'format.encodeLosslessly = () => { throw new Error("none"); };'),
      `${FAILS}"encodeLosslessly" throws: none.`,
    ],
    [
      failing('long-error', `format.encodeLosslessly = () => { throw new Error('x'.repeat(5000) + '.'); };`),
      `${FAILS}"encodeLosslessly" throws: xxx`,
    ],
    [
      failing('text-encoder', 'format.encodeLosslessly = async () => "QOI";'),
      `${FAILS}"encodeLosslessly" returns no bytes.`,
    ],
    [
      failing('no-image', 'format.decode = async () => null;'),
      `${FAILS}"decode" returns no image with 8 bits per sample.`,
    ],
    [
      failing(
        'other-image',
        'format.decode = async () => ({ width: 2, height: 1, channels: 1, data: new Uint8Array(2) });',
      ),
      `${FAILS}"decode" returns 2 x 1 pixels instead of 40 x 30.`,
    ],
    [
      failing(
        'text-profile',
        `const { decode } = format;
format.decode = async (file) => ({ ...(await decode(file)), icc: 'sRGB' });`,
      ),
      `${FAILS}"decode" returns an "icc" that is no Uint8Array.`,
    ],
    [failing('exit', 'format.encodeLosslessly = () => process.exit(0);'), 'The worker process ended twice'],
  ])('%s: %s', (module, sentence) => {
    const args = ['compress', place.path('drawing.png'), '-n', '--format', 'qoi', '--format-module', module];
    const { status, stderr } = place.run(args, { cwd: folder });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`drawing.png: ${sentence}`)]);
    expect(stderr.trim().split('\n')).toHaveLength(2);
    const set = ['set', place.path('drawing.png'), '-o', place.path('set'), '--widths', '20,40'];
    const made = place.run([...set, '--format', 'qoi', '--format-module', module], { cwd: folder });
    const part = sentence.startsWith(FAILS) ? FAILS : sentence;
    expect([made.status, made.stderr]).toEqual([1, expect.stringContaining(part)]);
  });
});

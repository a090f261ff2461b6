import { Workplace } from '../support/command-line';
import { expectEnd } from '../support/ended';
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

  const DECODE = 'const { decode } = format; format.decode = async (file) =>';
  const OTHER = '({ width: 2, height: 1, channels: 1, data: new Uint8Array(2) })';

  it.each([
    [
      'no-encoder',
      'format.encodeLosslessly = () => { throw new Error("none"); };',
      '"encodeLosslessly" throws: none.',
    ],
    [
      'long-error',
      "format.encodeLosslessly = () => { throw new Error('x'.repeat(5000) + '.'); };",
      '"encodeLosslessly" throws: xxx',
    ],
    ['text-encoder', 'format.encodeLosslessly = async () => "QOI";', '"encodeLosslessly" returns no bytes.'],
    [
      'no-image',
      'format.decode = async () => null;',
      '"decode" returns no image with 8 or 16 bits per sample.',
    ],
    [
      'other-image',
      `format.decode = async () => ${OTHER};`,
      '"decode" returns 2 x 1 pixels instead of 40 x 30.',
    ],
    [
      'text-profile',
      `${DECODE} ({ ...(await decode(file)), icc: 'sRGB' });`,
      '"decode" returns an "icc" that is no Uint8Array.',
    ],
    ['exit', 'format.encodeLosslessly = () => process.exit(0);', undefined],
  ])('%s', (name, code, fault) => {
    const module = failing(name, code);
    const sentence = fault === undefined ? 'The worker process ended twice' : FAILS + fault;
    const args = ['compress', place.path('drawing.png'), '-n', '--format', 'qoi', '--format-module', module];
    const { stderr } = expectEnd(place.run(args, { cwd: folder }), 1, `drawing.png: ${sentence}`);
    expect(stderr.trim().split('\n')).toHaveLength(2);
  });
});

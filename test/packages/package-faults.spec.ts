import { Workplace } from '../support/command-line';
import { png, screenshot } from '../support/drawn-pngs';
import { folder, formatOf, put, QOI } from './package-folder';
import { qoiManifest } from './tutorial';

const file = (name: string, code: string, manifest?: string | object) => {
  put(`wrong/${name}.mjs`, code);
  if (manifest !== undefined) put(`wrong/${name}.json`, manifest);
  return `./wrong/${name}.mjs`;
};
put('wrong/other.mjs', "import { b } from './cycle.mjs'; export const a = b;");
/** A native addon of another platform. */
put('wrong/addon.node', 'no ELF file');
const AFTER_VERSION = '; this service has version 1 of the codec interface';

/** Wrong packages, and the sentence about each. `/` stands for the folder. */
const FORMAT_FAULTS: readonly (readonly [specifier: string, sentence: string])[] = [
  ['./nothing.mjs', './nothing.mjs does not exist'],
  ['image-compression-absent', 'the package image-compression-absent is not installed in / or above it'],
  [file('lone', QOI), './wrong/lone.mjs has no manifest: there is no ./wrong/lone.json beside it'],
  [file('text', QOI, 'no JSON'), './wrong/text.json is not a JSON object'],
  [file('old', QOI, { ...qoiManifest, apiVersion: 0 }), `./wrong/old.json: apiVersion: is 0${AFTER_VERSION}`],
  [file('ageless', QOI, {}), `./wrong/ageless.json: apiVersion: is missing${AFTER_VERSION}`],
  [file('new', QOI, { apiVersion: 2, codec: {} }), `./wrong/new.json: apiVersion: is 2${AFTER_VERSION}`],
  [file('engine', QOI, { apiVersion: 1, engine: {} }), './wrong/engine.mjs declares no format'],
  [
    file('name', QOI, formatOf({ name: 'Q O I' })),
    './wrong/name.json: format.name: must be 1 to 16 lower-case letters and digits',
  ],
  [
    file(
      'curve',
      QOI,
      formatOf({
        curve: [
          [20, 0.01],
          [90, 0.02],
        ],
      }),
    ),
    './wrong/curve.json: format.curve: must list rising qualities with falling losses',
  ],
  [
    file('webp', QOI, formatOf({ name: 'webp' })),
    './wrong/webp.mjs: the format name "webp" is taken by this service',
  ],
  [
    file('auto', QOI, formatOf({ name: 'auto' })),
    './wrong/auto.mjs: the format name "auto" is taken by this service',
  ],
  [
    `./qoi.mjs,${file('twice', QOI, qoiManifest)}`,
    './wrong/twice.mjs: the format name "qoi" is taken by /qoi.mjs',
  ],
  [
    file('type', QOI, formatOf({ mediaType: 'image/png' })),
    './wrong/type.mjs: the media type "image/png" is taken by this service',
  ],
  [
    file('jpg', QOI, formatOf({ extensions: ['jpg'] })),
    './wrong/jpg.mjs: the file name extension "jpg" is taken by this service',
  ],
  [
    file('odd', QOI, formatOf({ signatures: [{ hex: '716' }] })),
    './wrong/odd.json: format.signatures.0.hex: must be 2 to 16 bytes in lower-case hexadecimal digits',
  ],
  [
    file('far', QOI, formatOf({ signatures: [{ offset: 65, hex: '716f' }] })),
    './wrong/far.json: format.signatures.0.offset: Too big: expected number to be <=64',
  ],
  [
    file('png', QOI, formatOf({ signatures: [{ hex: '716f6966' }, { hex: '89504e470d0a1a0a00' }] })),
    './wrong/png.mjs: the signature "89504e470d0a1a0a00" is taken by this service',
  ],
  [
    `./qoi.mjs,${file('longer', QOI, formatOf({ name: 'qoj', mediaType: 'image/qoj', extensions: ['qoj'], signatures: [{ hex: '716f696600' }] }))}`,
    './wrong/longer.mjs: the signature "716f696600" is taken by /qoi.mjs',
  ],
  [
    `./qoi.mjs,${file('shorter', QOI, formatOf({ name: 'qok', mediaType: 'image/qok', extensions: ['qok'], signatures: [{ hex: '716f' }] }))}`,
    './wrong/shorter.mjs: the signature "716f" is taken by /qoi.mjs',
  ],
  [file('mute', '', qoiManifest), '/wrong/mute.mjs exports no "format"'],
  [
    file('blind', 'export const format = { encode() {} };', qoiManifest),
    'the format of /wrong/blind.mjs has no function "decode"',
  ],
  [
    file('idle', 'export const format = { decode() {} };', qoiManifest),
    'the format of /wrong/idle.mjs has neither "encode" nor "encodeLosslessly"',
  ],
  [
    file('throws', "throw new Error('no licence');", qoiManifest),
    '/wrong/throws.mjs cannot be loaded: no licence',
  ],
  [
    file('late', "await Promise.reject(new Error('no licence'));", qoiManifest),
    '/wrong/late.mjs cannot be loaded: no licence',
  ],
  [
    file('getter', "export const format = { get decode() { throw new Error('no licence'); } };", qoiManifest),
    '/wrong/getter.mjs cannot be loaded: no licence',
  ],
  [
    file('cycle', `import { a } from './other.mjs'; export const b = a; ${QOI}`, qoiManifest),
    "/wrong/cycle.mjs cannot be loaded: Cannot access 'b' before initialization",
  ],
  [
    file('lost-import', "import 'image-compression-absent';", qoiManifest),
    "/wrong/lost-import.mjs cannot be loaded: Cannot find package 'image-compression-absent' imported from /wrong/lost-import.mjs",
  ],
  [
    file('syntax', 'export const format = oops oops;', qoiManifest),
    "/wrong/syntax.mjs cannot be loaded: Unexpected identifier 'oops'",
  ],
  [
    file(
      'addon',
      "import { createRequire } from 'node:module'; createRequire(import.meta.url)('./addon.node');",
      qoiManifest,
    ),
    '/wrong/addon.mjs cannot be loaded: /wrong/addon.node: file too short',
  ],
  [
    file('default', QOI.replace('export const format =', 'export default'), qoiManifest),
    '/wrong/default.mjs exports no "format"',
  ],
  [
    file('exits', 'process.exit(0);', qoiManifest),
    '/wrong/exits.mjs ended its process while loading: exit code 0',
  ],
  [
    file('types', QOI, formatOf({ extensions: 'qoi' })),
    './wrong/types.json: format.extensions: Invalid input: expected array, received string',
  ],
  [file('member', QOI, formatOf({ colours: 3 })), './wrong/member.json: format: Unrecognized key: "colours"'],
  [
    file('hangs', 'await new Promise(() => setInterval(() => undefined, 1000));', qoiManifest),
    '/wrong/hangs.mjs does not finish loading',
  ],
];

const ENGINE_FAULTS: readonly (readonly [specifier: string, sentence: string])[] = [
  [
    file('broken-engine', "export const createEngine = () => { throw new Error('no licence'); };", {
      apiVersion: 1,
      engine: {},
    }),
    '/wrong/broken-engine.mjs cannot be loaded: no licence',
  ],
  ['turbo', 'must be native, squoosh or a package: the package turbo is not installed in / or above it'],
  ['./qoi.mjs', 'must be native, squoosh or a package: ./qoi.mjs declares no engine'],
  [
    file('mute-engine', '', { apiVersion: 1, engine: {} }),
    '/wrong/mute-engine.mjs exports no function "createEngine"',
  ],
  [
    file('empty-engine', 'export const createEngine = () => ({});', { apiVersion: 1, engine: {} }),
    'the engine of /wrong/empty-engine.mjs has no codecs "jpeg" and "png"',
  ],
];

describe('a package that cannot be used stops the start with one sentence', () => {
  const place = new Workplace();
  place.put('drawing.png', png(40, 30, screenshot));
  const errorWith = (env: NodeJS.ProcessEnv) => {
    const { status, stderr } = place.run(['compress', place.path('drawing.png'), '-n'], { cwd: folder, env });
    expect(status).toBeGreaterThan(0);
    return stderr.trim();
  };
  const inFolder = (sentence: string) =>
    sentence.replaceAll(/(^|by |in |of |from |loaded: )\//g, `$1${folder}/`).replace('/ or', ' or');

  it.each(FORMAT_FAULTS)('FORMAT_MODULES=%s: %s', (specifier, sentence) => {
    const error = errorWith({ FORMAT_MODULES: specifier });
    const about = error.startsWith('The environment')
      ? `The environment has an error:\n  - FORMAT_MODULES=${specifier}: `
      : 'The codec engine cannot start: ';
    expect(error.replace(/\.$/, '')).toBe(about + inFolder(sentence));
  });

  it.each(ENGINE_FAULTS)('CODEC_ENGINE=%s: %s', (specifier, sentence) => {
    const error = errorWith({ CODEC_ENGINE: specifier });
    expect(error).toContain(inFolder(sentence));
  });
});

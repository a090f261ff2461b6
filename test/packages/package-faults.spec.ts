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

type Fault = readonly [specifier: string, sentence: string];
/** A fault of the manifest; `/` stands for the folder, here and below. */
const inManifest = (name: string, changes: object, words: string): Fault => [
  file(name, QOI, formatOf(changes)),
  `./wrong/${name}.json: format${words}`,
];
const isTaken = (name: string, changes: object, what: string, by = 'this service'): Fault => [
  `${by === 'this service' ? '' : './qoi.mjs,'}${file(name, QOI, formatOf(changes))}`,
  `./wrong/${name}.mjs: the ${what} is taken by ${by}`,
];
const inCode = (name: string, code: string, words: string): Fault => [
  file(name, code, qoiManifest),
  `/wrong/${name}.mjs ${words}`,
];
const like = (name: string, hex: string) => ({
  ...{ name, mediaType: `image/${name}`, extensions: [name], signatures: [{ hex }] },
});
const RISING = [
  [20, 0.01],
  [90, 0.02],
];
const HEX_RULE = 'must be 2 to 16 bytes in lower-case hexadecimal digits';
const OFFSET_RULE = 'Too big: expected number to be <=64';
const PNG = '89504e470d0a1a0a00';
const NOT_FOUND = "Cannot find package 'image-compression-absent' imported from /wrong/lost-import.mjs";
const LATE = "await Promise.reject(new Error('no licence'));";
const GETTER = "export const format = { get decode() { throw new Error('no licence'); } };";
const ADDON = "import { createRequire } from 'node:module'; createRequire(import.meta.url)('./addon.node');";
const CYCLE = `import { a } from './other.mjs'; export const b = a; ${QOI}`;

const FORMAT_FAULTS: readonly Fault[] = [
  ['./nothing.mjs', './nothing.mjs does not exist'],
  ['image-compression-absent', 'the package image-compression-absent is not installed in / or above it'],
  [file('lone', QOI), './wrong/lone.mjs has no manifest: there is no ./wrong/lone.json beside it'],
  [file('text', QOI, 'no JSON'), './wrong/text.json is not a JSON object'],
  [file('old', QOI, { ...qoiManifest, apiVersion: 0 }), `./wrong/old.json: apiVersion: is 0${AFTER_VERSION}`],
  [file('ageless', QOI, {}), `./wrong/ageless.json: apiVersion: is missing${AFTER_VERSION}`],
  [file('new', QOI, { apiVersion: 2, codec: {} }), `./wrong/new.json: apiVersion: is 2${AFTER_VERSION}`],
  [file('engine', QOI, { apiVersion: 1, engine: {} }), './wrong/engine.mjs declares no format'],
  inManifest('name', { name: 'Q O I' }, '.name: must be 1 to 16 lower-case letters and digits'),
  inManifest('curve', { curve: RISING }, '.curve: must list rising qualities with falling losses'),
  inManifest('odd', { signatures: [{ hex: '716' }] }, `.signatures.0.hex: ${HEX_RULE}`),
  inManifest('far', { signatures: [{ offset: 65, hex: '716f' }] }, `.signatures.0.offset: ${OFFSET_RULE}`),
  inManifest('types', { extensions: 'qoi' }, '.extensions: Invalid input: expected array, received string'),
  inManifest('member', { colours: 3 }, ': Unrecognized key: "colours"'),
  isTaken('webp', { name: 'webp' }, 'format name "webp"'),
  isTaken('auto', { name: 'auto' }, 'format name "auto"'),
  isTaken('twice', {}, 'format name "qoi"', '/qoi.mjs'),
  isTaken('type', { mediaType: 'image/png' }, 'media type "image/png"'),
  isTaken('jpg', { extensions: ['jpg'] }, 'file name extension "jpg"'),
  isTaken('png', { signatures: [{ hex: '716f6966' }, { hex: PNG }] }, `signature "${PNG}"`),
  isTaken('longer', like('qoj', '716f696600'), 'signature "716f696600"', '/qoi.mjs'),
  isTaken('shorter', like('qok', '716f'), 'signature "716f"', '/qoi.mjs'),
  [
    file('blind', 'export const format = { encode() {} };', qoiManifest),
    'the format of /wrong/blind.mjs has no function "decode"',
  ],
  [
    file('idle', 'export const format = { decode() {} };', qoiManifest),
    'the format of /wrong/idle.mjs has neither "encode" nor "encodeLosslessly"',
  ],
  inCode('mute', '', 'exports no "format"'),
  inCode('default', QOI.replace('export const format =', 'export default'), 'exports no "format"'),
  inCode('throws', "throw new Error('no licence');", 'cannot be loaded: no licence'),
  inCode('late', LATE, 'cannot be loaded: no licence'),
  inCode('getter', GETTER, 'cannot be loaded: no licence'),
  inCode('cycle', CYCLE, "cannot be loaded: Cannot access 'b' before initialization"),
  inCode('lost-import', "import 'image-compression-absent';", `cannot be loaded: ${NOT_FOUND}`),
  inCode('syntax', 'export const format = oops oops;', "cannot be loaded: Unexpected identifier 'oops'"),
  inCode('addon', ADDON, 'cannot be loaded: /wrong/addon.node: file too short'),
  inCode('exits', 'process.exit(0);', 'ended its process while loading: exit code 0'),
  inCode('hangs', 'await new Promise(() => setInterval(() => undefined, 1000));', 'does not finish loading'),
];

const ENGINE_FAULTS: readonly Fault[] = [
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

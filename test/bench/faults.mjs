/** Sends files that came back wrong once to the built service, and judges what code can judge. Needs exiftool. */
import { spawnSync } from 'node:child_process';
import sharp from 'sharp';
import { startService } from './service-process.mjs';
import { imagesIn, load } from './support.mjs';

const { readChunks } = load('compression/formats/png/png-chunks.js');

// A rule returns true, or false where it is broken. `was` and `is` are the upload and the result as they are shown, in RGBA.
const all = ({ data }, isRight) => {
  for (let i = 0; i < data.length; i += 4) if (!isRight(i)) return false;
  return true;
};
const chunks = ({ bytes }) => (bytes[0] === 0x89 ? readChunks(bytes).map(({ type }) => type) : []);
const exactAlpha = ({ was, is }) =>
  all(was, (i) => was.data[i + 3] % 255 !== 0 || is.data[i + 3] === was.data[i + 3]);
const equal = ({ was, is }, i) => [0, 1, 2, 3].every((c) => was.data[i + c] === is.data[i + c]);
const samePixels = (given) =>
  size(given) === size({ is: given.was }) && all(given.was, (i) => equal(given, i));
/** Every pixel of the frame is as in the upload; where it is transparent, its colour does not count. */
const ninePatch = ({ was, is }) =>
  all(was, (i) => {
    const [x, y] = [(i / 4) % was.width, Math.floor(i / 4 / was.width)];
    const isFrame = x === 0 || y === 0 || x === was.width - 1 || y === was.height - 1;
    return !isFrame || (was.data[i + 3] === 0 && is.data[i + 3] === 0) || equal({ was, is }, i);
  });
const hides = ({ is }, colour) =>
  all(is, (i) => is.data[i + 3] > 0 || colour.every((v, c) => Math.abs(v - is.data[i + c]) <= 8));
/** The colour at a place of the upload, at the same place of the result. */
const shows = ({ was, is }, [x, y], colour, tolerance) => {
  const place = (at, from, to) => Math.min(to - 1, Math.floor(((at + 0.5) / from) * to));
  const i = (place(y, was.height, is.height) * is.width + place(x, was.width, is.width)) * 4;
  return colour.every((value, c) => Math.abs(value - is.data[i + c]) <= tolerance);
};
const size = ({ is }) => `${is.width}x${is.height}`;
const type = ({ headers }) => headers.get('content-type');
const removed = ({ headers }, name) => headers.get('x-removed')?.includes(name) ?? false;
const jfifOrExif = ({ bytes }) => /^(JFIF|Exif)$/.test(bytes.toString('latin1', 6, 10));
const has = (given, ...wanted) => wanted.every((one) => chunks(given).includes(one));
const gammaOrProfile = (given) => has(given, 'iCCP') || (has(given, 'gAMA', 'cHRM') && !has(given, 'sRGB'));
const metadata = ({ bytes }, ...patterns) => {
  const { stdout: text, error } = spawnSync('exiftool', ['-G1', '-s', '-a', '-'], {
    input: bytes,
    encoding: 'utf8',
  });
  if (error) throw new Error('exiftool is needed; Debian has it as libimage-exiftool-perl', { cause: error });
  return patterns.every((pattern) => pattern.test(text));
};
const RIGHTS = [/^\[(IFD0|XMP-\w+)].*\(c\) 2026 Studio Example/m, /^\[(IFD0|XMP-\w+)].*A\. Example/m];
const rights = (given) => removed(given, 'kept-metadata') || metadata(given, ...RIGHTS);
const asBright = (given) => removed(given, 'colour-profile') || shows(given, [100, 100], [163, 163, 163], 3);

/** For each file the requests: query, rules by name, and where needed the header Accept or settings of the service. */
const TABLE = {
  'nine-patch-shadow.9.png': [['', { ninePatch, exactAlpha }]],
  'nine-patch-dark-photo.9.png': [['', { ninePatch, exactAlpha }]],
  'nine-patch-compiled.png': [
    ['', { chunks: (given) => has(given, 'npTc', 'npOl') || given.bytes.equals(given.upload) }],
  ],
  'icon-white-on-transparent.png': [['', { exactAlpha, white: (given) => hides(given, [255, 255, 255]) }]],
  'mask-180-flat-colours.png': [['', { samePixels }]],
  'map-green-marker.png': [
    ['max_bytes=11500', { green: (given) => shows(given, [254, 254], [35, 139, 69], 24) }],
  ],
  'sprite-sheet-4096.png': [
    ['', { size: (given) => size(given) === '3840x240' }],
    [
      '',
      { size: (given) => size(given) === '4096x256', bytes: ({ bytes }) => bytes.length <= 66_754 },
      { settings: { MAX_DIMENSION_PX: '4096' } },
    ],
  ],
  'grey-dot-gain-20.jpg': [
    ['format=webp', { asBright }],
    [
      'format=auto',
      { asBrightOrJpeg: (given) => type(given) === 'image/jpeg' || asBright(given) },
      { accept: 'image/avif' },
    ],
  ],
  'dark-ramp-gama-chrm.png': [['', { gammaOrProfile }]],
  'jfif-300dpi.jpg': [
    ['', { jfifOrExif }],
    ['metadata=all', { dpi: (given) => metadata(given, /XResolution\s+: 300$/m) }],
  ],
  'iptc-copyright.jpg': ['webp', 'avif', 'png'].map((to) => [`metadata=copyright&format=${to}`, { rights }]),
  'panorama-360.jpg': [
    [
      'metadata=all&max_dimension=400',
      {
        GPano: (given) => metadata(given, /FullPanoWidthPixels\s+: 400$/m, /FullPanoHeightPixels\s+: 200$/m),
      },
    ],
  ],
  'complete-but-no-eoi.jpg': [['', { type: (given) => type(given) === 'image/jpeg' }]],
  'exif-header-ff.jpg': [['', { size: (given) => size(given) === '266x400' }]],
  'chrm-rounded.png': ['format=webp', 'format=auto'].map((query) => [
    query,
    { type: (given) => type(given) === 'image/webp' },
    { accept: 'image/webp' },
  ]),
  'drawing-palette-cliff.png': [['', { bytes: ({ bytes }) => bytes.length <= 10_000 }]],
};

export async function run(folder) {
  const services = new Map();
  let [broken, judged] = [0, 0];
  for (const { name, bytes: upload } of imagesIn(folder, /\.(jpe?g|png)$/i)) {
    for (const [query, rules, { accept, settings = {} } = {}] of TABLE[name] ?? [['', {}]]) {
      const key = JSON.stringify(settings);
      if (!services.has(key)) services.set(key, startService(1, settings));
      const given = await answer(await services.get(key), upload, query, accept);
      const failed = Object.entries(rules).flatMap(([rule, holds]) =>
        given.is && holds(given) ? [] : [rule],
      );
      [judged, broken] = [judged + 1, broken + (failed.length > 0 ? 1 : 0)];
      const verdict =
        failed.length > 0 ? `WRONG: ${failed.join(', ')}` : TABLE[name] ? 'right' : 'not judged';
      const request = [query || 'default', ...(accept ? [accept] : []), ...Object.keys(settings)].join(' ');
      console.log(`${name} (${request}): ${verdict}\n    ${told(given)}`);
    }
  }
  for (const service of services.values()) await (await service).stop();
  console.log(`\n${judged} requests, ${broken} wrong`);
}

async function answer({ url, apiKey }, upload, query, accept) {
  const form = new FormData();
  form.append('image', new Blob([upload]), 'image');
  const headers = { 'X-API-Key': apiKey, ...(accept ? { Accept: accept } : {}) };
  const response = await fetch(`${url}api/v1/compress?${query}`, { method: 'POST', headers, body: form });
  const bytes = Buffer.from(await response.arrayBuffer());
  const given = { upload, bytes, headers: response.headers, status: response.status };
  return response.ok ? { ...given, was: await shown(upload), is: await shown(bytes) } : given;
}

/** Decodes as viewers show it. sharp reads a damaged upload as far as it goes. */
async function shown(bytes) {
  const image = sharp(bytes, { failOn: 'none' }).toColourspace('srgb').ensureAlpha();
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function told({ upload, bytes, headers, status, is }) {
  if (!is) return `${status} ${bytes.toString('utf8', 0, 300)}`;
  const own = [...headers].filter(([name]) =>
    /^x-(quality|ssim|max-error|removed|budget|skip-reason)/.test(name),
  );
  const facts = own.map((header) => header.join(': ')).join(', ');
  return `${upload.length} -> ${bytes.length} bytes, ${size({ is })}, starts ${bytes.toString('hex', 0, 12)}, ${facts}`;
}

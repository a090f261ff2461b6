/**
 * HEIC files for tests, of images that `heif-enc` codes, put together like those of phones and cameras: heif-enc writes neither grids nor
 * rotations. `node sample-files.mjs FOLDER` writes some of them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { readContainer } from './container.mjs';

export const hasEncoder = ['heif-enc', 'heif-convert'].every(
  (name) => spawnSync(name, ['--help']).error === undefined,
);

const uint = (length, ...values) => {
  const out = Buffer.alloc(length * values.length);
  values.forEach((value, i) => out.writeUIntBE(value, i * length, length));
  return out;
};
const box = (type, ...parts) => {
  const content = Buffer.concat(parts);
  return Buffer.concat([uint(4, content.length + 8), Buffer.from(type, 'latin1'), content]);
};
const fullBox = (type, version, flags, ...parts) => box(type, uint(1, version), uint(3, flags), ...parts);
const cString = (text) => Buffer.from(`${text}\0`);

export const ispe = (width, height) => fullBox('ispe', 0, 0, uint(4, width, height));
export const irot = (turns) => box('irot', uint(1, turns));
export const imir = (mode) => box('imir', uint(1, mode));
export const icc = (profile) => box('colr', Buffer.from('prof'), profile);
export const nclx = (primaries, transfer, matrix, isFull) =>
  box('colr', Buffer.from('nclx'), uint(2, primaries, transfer, matrix), uint(1, isFull ? 128 : 0));
export const auxC = (kind) => fullBox('auxC', 0, 0, cString(kind));
/** Offsets of the centre in half pixels. */
export const clap = (width, height, x, y) => {
  const offset = (value) => Buffer.concat([uint(4, value < 0 ? value + 2 ** 32 : value), uint(4, 2)]);
  return box('clap', uint(4, width, 1, height, 1), offset(x), offset(y));
};

/**
 * @param items in the order of their ids, from 1: `type`, `data`, `properties` (boxes), `refers` (ids by type), `mime`, `isHidden`
 * @param after boxes that follow
 */
export function heicOf(items, { primary = 1, brand = 'heic', after = [] } = {}) {
  const properties = [
    ...new Map(
      items.flatMap((item) => item.properties ?? []).map((each) => [each.toString('latin1'), each]),
    ).values(),
  ];
  const indexOf = (each) => properties.findIndex((other) => other.equals(each)) + 1;
  const isEssential = (each) => ['hvcC', 'irot', 'imir', 'clap'].includes(each.toString('latin1', 4, 8));
  const entries = items.map(({ type, mime, isHidden }, i) =>
    fullBox(
      'infe',
      2,
      isHidden ? 1 : 0,
      uint(2, i + 1, 0),
      Buffer.from(type),
      cString(''),
      ...(mime ? [cString(mime)] : []),
    ),
  );
  const associations = items.map(({ properties: own = [] }, i) =>
    Buffer.concat([
      uint(2, i + 1),
      uint(1, own.length),
      uint(2, ...own.map((each) => indexOf(each) + (isEssential(each) ? 0x8000 : 0))),
    ]),
  );
  const references = items.flatMap(({ refers = {} }, i) =>
    Object.entries(refers).map(([type, to]) => box(type, uint(2, i + 1, to.length, ...to))),
  );
  const start = (mdatAt) => {
    let at = mdatAt;
    const places = items.map(({ data }, i) => {
      const place = Buffer.concat([uint(2, i + 1, 0, 1), uint(4, at, data.length)]);
      at += data.length;
      return place;
    });
    return Buffer.concat([
      box('ftyp', Buffer.from(brand), uint(4, 0), Buffer.from('mif1heicmiaf')),
      fullBox(
        'meta',
        0,
        0,
        fullBox('hdlr', 0, 0, uint(4, 0), Buffer.from('pict'), Buffer.alloc(12), cString('')),
        fullBox('pitm', 0, 0, uint(2, primary)),
        fullBox('iinf', 0, 0, uint(2, items.length), ...entries),
        ...(references.length > 0 ? [fullBox('iref', 0, 0, ...references)] : []),
        box(
          'iprp',
          box('ipco', ...properties),
          fullBox('ipma', 0, 1, uint(4, items.length), ...associations),
        ),
        fullBox('iloc', 0, 0, uint(1, 0x44, 0), uint(2, items.length), ...places),
      ),
    ]);
  };
  const header = start(start(0).length + 8);
  return Buffer.concat([header, box('mdat', ...items.map(({ data }) => data)), ...after]);
}

/** Codes an image (anything that sharp opens) with heif-enc. @returns the file */
export async function encode(image, ...options) {
  const folder = mkdtempSync(join(tmpdir(), 'heic-'));
  try {
    const [from, to] = ['in.png', 'out.heic'].map((name) => join(folder, name));
    writeFileSync(from, await image.png({ compressionLevel: 1 }).toBuffer());
    execFileSync('heif-enc', [...options, from, '-o', to], { stdio: 'ignore' });
    return readFileSync(to);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The coded image of a file with one, as an item for heicOf(). Both sides are even and at least 64 px, or heif-enc makes a grid. */
export async function coded(image, ...options) {
  const file = await encode(image, ...options);
  const container = readContainer(file);
  const item = container.items.get(container.primaryId);
  const properties = item.properties.map(({ box: { type, reader } }) =>
    box(type, reader.bytes.subarray(reader.at, reader.end)),
  );
  const kept = properties.filter((each) => ['ispe', 'hvcC', 'pixi'].includes(each.toString('latin1', 4, 8)));
  return { type: 'hvc1', data: Buffer.from(container.dataOf(item)), properties: kept };
}

/** Decodes with heif-convert. @returns sharp's pixels: `data` and `info` */
export async function convert(file) {
  const folder = mkdtempSync(join(tmpdir(), 'heic-'));
  try {
    const [from, to] = ['in.heic', 'out.png'].map((name) => join(folder, name));
    writeFileSync(from, file);
    execFileSync('heif-convert', [from, to], { stdio: 'ignore' });
    const image = sharp(readFileSync(to), { ignoreIcc: true });
    const isDeep = (await image.metadata()).depth === 'ushort';
    const raw = isDeep ? image.toColourspace('rgb16').raw({ depth: 'ushort' }) : image.raw();
    const { data, info } = await raw.toBuffer({ resolveWithObject: true });
    return { data: isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data, info };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A photo without noise: waves of several lengths and colours. */
export function photo(width, height) {
  const data = Buffer.alloc(width * height * 3);
  for (let i = 0, y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const wave = Math.sin(x / 9) * 22 + Math.sin((x + y * 2) / 23) * 30;
      for (const [base, slope] of [
        [70, x / width],
        [90, y / height],
        [170, -x / width],
      ])
        data[i++] = base + slope * 90 + wave;
    }
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/** As phones write it: a grid of tiles, turned, with a profile, a thumbnail, a depth map, a gain map, EXIF and XMP. */
export async function phoneFile(image, { tile = 512, quality = 60, exif, xmp, turns = 3 } = {}) {
  const source = sharp(await image.clone().png({ compressionLevel: 1 }).toBuffer());
  const { width, height } = await source.metadata();
  const [columns, rows] = [width, height].map((side) => Math.ceil(side / tile));
  const padded = sharp(
    await source
      .extend({ right: columns * tile - width, bottom: rows * tile - height, extendWith: 'copy' })
      .png({ compressionLevel: 1 })
      .toBuffer(),
  );
  const tiles = [];
  for (let i = 0; i < rows * columns; i++) {
    const [left, top] = [(i % columns) * tile, Math.floor(i / columns) * tile];
    const part = padded.clone().extract({ left, top, width: tile, height: tile });
    tiles.push({ ...(await coded(part, '-q', String(quality), '-p', 'preset=ultrafast')), isHidden: true });
  }
  const p3 = (await sharp(await photo(8, 8).withIccProfile('p3').png().toBuffer()).metadata()).icc;
  const small = await coded(sharp(await source.resize(320, 240).png().toBuffer()), '-q', '40');
  const ids = tiles.map((_, i) => i + 2);
  const grid = {
    type: 'grid',
    data: Buffer.concat([uint(1, 0, 0, rows - 1, columns - 1), uint(2, width, height)]),
    properties: [ispe(width, height), icc(p3), irot(turns)],
    refers: { dimg: ids },
  };
  const next = tiles.length + 2;
  const gainMap = {
    ...small,
    properties: [...small.properties, auxC('urn:com:apple:photo:2020:aux:hdrgainmap')],
    refers: { auxl: [1] },
  };
  const depth = {
    ...small,
    properties: [...small.properties, auxC('urn:mpeg:hevc:2015:auxid:2')],
    refers: { auxl: [1] },
  };
  return heicOf(
    [
      grid,
      ...tiles,
      { ...small, refers: { thmb: [1] } },
      gainMap,
      depth,
      ...(exif
        ? [
            {
              type: 'Exif',
              data: Buffer.concat([uint(4, 6), Buffer.from('Exif\0\0'), exif]),
              refers: { cdsc: [1] },
            },
          ]
        : []),
      ...(xmp
        ? [{ type: 'mime', mime: 'application/rdf+xml', data: Buffer.from(xmp), refers: { cdsc: [1] } }]
        : []),
    ].map((item, i) => ({ ...item, isHidden: item.isHidden || i >= next })),
  );
}

/** A movie of pictures behind the image, which makes the file an image sequence. */
export function pictureTrack(samples, width, height) {
  const header = fullBox('tkhd', 0, 7, Buffer.alloc(72), uint(4, width * 65536, height * 65536));
  const handler = fullBox('hdlr', 0, 0, uint(4, 0), Buffer.from('pict'), Buffer.alloc(12), cString(''));
  const table = box('stbl', fullBox('stsz', 0, 0, uint(4, 100, samples)));
  return box('moov', box('trak', header, box('mdia', handler, box('minf', table))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2]);
  const put = (name, bytes) => writeFileSync(join(folder, name), bytes);
  const exif = Buffer.from('4d4d002a00000008000101120003000000010006000000000000', 'hex');
  const clear = {
    input: { create: { width: 200, height: 100, channels: 4, background: '#0000' } },
    blend: 'dest-in',
  };
  put('phone.heic', await phoneFile(photo(2400, 1700), { exif }));
  put('sequence.heic', heicOf([await coded(photo(64, 64))], { after: [pictureTrack(5, 64, 64)] }));
  put('small.heic', await encode(photo(300, 200), '-q', '30'));
  put(
    'transparent.heic',
    await encode(
      sharp(await photo(300, 200).ensureAlpha().composite([clear]).png().toBuffer()),
      '-L',
      '-p',
      'chroma=444',
    ),
  );
}

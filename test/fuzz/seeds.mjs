/** Valid input files: small ones made in code, one of each kind that takes a separate code path, and those of a folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { segment } from '../support/jpeg-bombs.cjs';
import { deepAnimation, uint32s } from '../support/png-bombs.cjs';

/** Not whole blocks of a JPEG. */
const WIDTH = 93;
const HEIGHT = 70;

function samples(channels) {
  const data = Buffer.alloc(WIDTH * HEIGHT * channels);
  for (let y = 0, p = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++, p += channels) {
      const value = 120 + Math.sin(x / 5) * 60 + Math.cos((x + y) / 11) * 50 + (x > y ? 15 : 0);
      for (let c = 0; c < channels; c++) data[p + c] = c === 3 ? 255 - y * 3 : value + c * 12 - (y % 7) * c;
    }
  }
  return data;
}

const picture = (channels = 3) =>
  sharp(samples(channels), { raw: { width: WIDTH, height: HEIGHT, channels } });
const jpeg = (options, of = picture()) => of.jpeg({ quality: 92, ...options }).toBuffer();

const withSegments = (file, ...segments) =>
  Buffer.concat([file.subarray(0, 2), ...segments, file.subarray(2)]);

async function withMetadata() {
  const file = await jpeg({}, picture().withMetadata({ orientation: 6 }).withIccProfile('p3'));
  return withSegments(
    file,
    segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')),
    segment(0xed, Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\0')),
    segment(0xfe, Buffer.from('a comment')),
  );
}

const xmp = (properties) =>
  segment(
    0xe1,
    Buffer.from(
      `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF>${properties}</rdf:RDF></x:xmpmeta>`,
    ),
  );
const HDRGM = 'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"';

/** A gain map as Ultra HDR names it: in the directory of the first image and in the XMP of the map. */
async function ultraHdr() {
  const map = withSegments(
    await jpeg({ quality: 50 }, picture().greyscale().resize(24, 18)),
    xmp(`<rdf:Description ${HDRGM} hdrgm:GainMapMax="2.3" hdrgm:HDRCapacityMax="2.3"/>`),
  );
  const item = (rest) => `<rdf:li><Container:Item Item:Mime="image/jpeg" ${rest}/></rdf:li>`;
  const directory = xmp(
    `<rdf:Description ${HDRGM}><Container:Directory><rdf:Seq>${item('Item:Semantic="Primary"')}${item(`Item:Semantic="GainMap" Item:Length="${map.length}"`)}</rdf:Seq></Container:Directory></rdf:Description>`,
  );
  return multiPicture(withSegments(await jpeg({}), directory), map);
}

/** A gain map with the metadata of ISO 21496-1: versions and flags, then fractions (annex C). */
async function isoGainMap() {
  const fractions = uint32s(0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 1, 64, 1, 64);
  const map = withSegments(
    await jpeg({ quality: 50 }, picture().greyscale().resize(24, 18)),
    segment(0xe2, Buffer.concat([Buffer.from('urn:iso:std:iso:ts:21496:-1\0\0\0\0\0\x40'), fractions])),
  );
  return multiPicture(await jpeg({}), map);
}

/** Two images and the index that says so (CIPA DC-007). */
function multiPicture(first, second) {
  const total = first.length + 90;
  const index = Buffer.concat([
    Buffer.from('MPF\0MM\0*\0\0\0\x08\0\x03', 'latin1'),
    // Tag and type, count, value.
    uint32s(0xb0000007, 4, 0x30313030),
    uint32s(0xb0010004, 1, 2),
    uint32s(0xb0020007, 32, 50),
    // No further directory; then attributes, size and offset of each image.
    uint32s(0, 0x030000, total, 0, 0, 0, second.length, total - 10, 0),
  ]);
  return Buffer.concat([withSegments(first, segment(0xe2, index)), second]);
}

function pngjsPng(colorType, bitDepth) {
  const data = samples(4);
  const png = new PNG({ width: WIDTH, height: HEIGHT });
  png.data = bitDepth === 16 ? Uint16Array.from(data, (v, i) => v * 257 - (i % 3)) : data;
  return PNG.sync.write(png, {
    colorType,
    bitDepth,
    inputColorType: 6,
    inputHasAlpha: true,
    deflateLevel: 3,
  });
}

export async function makeSeeds() {
  const grey = picture().greyscale();
  return {
    'jpeg 4:2:0': await jpeg({}),
    'jpeg 4:4:4': await jpeg({ chromaSubsampling: '4:4:4' }),
    'jpeg progressive': await jpeg({ progressive: true }),
    'jpeg grey': await jpeg({}, grey),
    'jpeg cmyk': await jpeg({}, picture().toColourspace('cmyk')),
    'jpeg optimised scans': await jpeg({ mozjpeg: true, quality: 80 }),
    'jpeg with metadata': await withMetadata(),
    'jpeg of two pictures': multiPicture(
      await jpeg({}),
      await jpeg({ quality: 50 }, picture().resize(24, 18)),
    ),
    'jpeg Ultra HDR': await ultraHdr(),
    'jpeg ISO gain map': await isoGainMap(),
    'png rgb': await picture().png().toBuffer(),
    'png rgba': await picture(4).png().toBuffer(),
    'png palette': await picture().png({ palette: true, colours: 40 }).toBuffer(),
    'png of two colours': await picture().png({ palette: true, colours: 2 }).toBuffer(),
    'png interlaced': await picture(4).png({ progressive: true }).toBuffer(),
    'png grey': await grey.png().toBuffer(),
    'png rgb of 16 bits': pngjsPng(2, 16),
    'png grey and alpha of 16 bits': pngjsPng(4, 16),
    'png with metadata': await picture()
      .withMetadata({ orientation: 8 })
      .withIccProfile('p3')
      .png()
      .toBuffer(),
    apng: deepAnimation(3, 40, 30),
  };
}

export async function makeImages() {
  return {
    ...(await makeSeeds()),
    avif: await picture().resize(16).avif({ effort: 0 }).toBuffer(),
    webp: await picture().resize(16).webp().toBuffer(),
    'webp lossless': await picture().resize(16).webp({ lossless: true }).toBuffer(),
    'webp with alpha': await picture(4).resize(16).webp().toBuffer(),
  };
}

/** Bytes of a file of a folder. Larger files make fewer inputs a second, without further kinds of content. */
const MAX_SEED_BYTES = 64_000;

/** The small JPGs and PNGs of a folder and its folders, recognised by their first bytes. */
export function seedsIn(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile() && statSync(file).size <= MAX_SEED_BYTES)
    .map((file) => [file, readFileSync(file)]);
  return Object.fromEntries(
    files.flatMap(([file, bytes]) => {
      if (bytes.subarray(0, 3).equals(Buffer.of(0xff, 0xd8, 0xff)))
        return [[`jpeg ${basename(file)}`, bytes]];
      if (bytes.subarray(1, 4).equals(Buffer.from('PNG'))) return [[`png ${basename(file)}`, bytes]];
      return [];
    }),
  );
}

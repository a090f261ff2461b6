import assert from 'node:assert/strict';
import { test as anyTest } from 'node:test';
import sharp from 'sharp';
import { format } from './heic.mjs';
import * as files from './sample-files.mjs';

const { clap, coded, convert, encode, heicOf, imir, irot, ispe, nclx, photo } = files;

if (!files.hasEncoder && process.env.REQUIRE_SERVICES === '1')
  throw new Error('heif-enc and heif-convert are missing: install libheif-examples');
const test = (name, run) =>
  anyTest(name, { skip: files.hasEncoder ? false : 'heif-enc is missing: install libheif-examples' }, run);

const decode = async (file) => format.decode(file, await format.dimensions(file));
const refusal = (file) => {
  try {
    format.dimensions(file);
  } catch (error) {
    return error.message;
  }
  return undefined;
};
/** Writes the numbers of two bytes into a copy. */
const patched = (file, at, value) => {
  const copy = Buffer.from(file);
  copy.writeUInt16BE(value, at);
  return copy;
};

/** Root mean square of the differences of colours, in 8 bits, to sharp's pixels. */
function difference(image, { data, info }) {
  assert.deepEqual([image.width, image.height], [info.width, info.height]);
  const step = image.data instanceof Uint16Array ? 257 : 1;
  let sum = 0;
  for (let i = 0; i < info.width * info.height; i++)
    for (let channel = 0; channel < 3; channel++) {
      const own = image.data[i * image.channels + (image.channels < 3 ? 0 : channel)];
      const other = data[i * info.channels + (info.channels < 3 ? 0 : channel)];
      sum += ((own - other) / step) ** 2;
    }
  return Math.sqrt(sum / (info.width * info.height * 3));
}
const pixelsOf = (image) => image.raw().toBuffer({ resolveWithObject: true });
/** 300 x 200 px of 16 bits. */
const deepPhoto = () => {
  const data = Uint16Array.from(
    { length: 300 * 200 * 3 },
    (_, i) => ((Math.floor(i / 3) % 300) / 300) * 30000 + (i % 3) * 9000,
  );
  return {
    data,
    image: sharp(data, { raw: { width: 300, height: 200, channels: 3 } }).toColourspace('rgb16'),
  };
};
const still = files.hasEncoder ? await coded(photo(302, 204), '-q', '90') : undefined;
const withProperties = (...properties) =>
  heicOf([{ ...still, properties: [...still.properties, ...properties] }]);

for (const [kind, options] of Object.entries({
  'a photo': [],
  'low quality, which needs the filters of HEVC': ['-q', '10'],
  '4:4:4': ['-p', 'chroma=444'],
  '4:2:2': ['-p', 'chroma=422'],
  'limited range': ['-p', 'chroma=444', '--full_range_flag=0'],
}))
  test(`shows what heif-convert shows: ${kind}`, async () => {
    // heif-enc makes a grid of one tile of odd sizes.
    for (const [width, height] of [
      [300, 200],
      [301, 203],
    ]) {
      const file = await encode(photo(width, height), ...options);
      // heif-convert repeats chroma, which is interpolated here.
      assert.ok(
        difference(await decode(file), await convert(file)) <
          (kind === '4:4:4' || kind === 'limited range' ? 0.01 : 0.7),
      );
    }
  });

test('grey has one channel and every sample of heif-convert', async () => {
  const file = await encode(photo(300, 200).greyscale().toColourspace('b-w'), '-q', '10');
  const image = await decode(file);
  assert.deepEqual([image.channels, difference(image, await convert(file))], [1, 0]);
});

test('rotations, mirrors and crops, in their order', async () => {
  for (let turns = 0; turns < 4; turns++)
    for (const more of [[], [imir(0)], [imir(1)], [clap(101, 77, -21, 13)]]) {
      for (const properties of [
        [irot(turns), ...more],
        [...more, irot(turns)],
      ]) {
        const file = withProperties(...properties);
        assert.ok(difference(await decode(file), await convert(file)) < 0.7);
      }
    }
});

test('a derived image is turned with its source', async () => {
  const source = { ...still, properties: [...still.properties, irot(1)], isHidden: true };
  const derived = {
    type: 'iden',
    data: Buffer.alloc(1),
    properties: [ispe(204, 302), imir(1)],
    refers: { dimg: [2] },
  };
  const file = heicOf([derived, source]);
  assert.ok(difference(await decode(file), await convert(file)) < 0.7);
});

test('matrices: as the container states them', async () => {
  const item = await coded(photo(300, 200), '-p', 'chroma=444');
  for (const colour of [nclx(1, 13, 1, true), nclx(9, 13, 9, false), nclx(1, 13, 0, true)]) {
    const file = heicOf([{ ...item, properties: [...item.properties, colour] }]);
    const off = difference(await decode(file), await convert(file));
    assert.ok(off < 1, `${off} with ${colour.toString('hex')}`);
  }
  const unknown = heicOf([{ ...item, properties: [...item.properties, nclx(1, 13, 11, true)] }]);
  await assert.rejects(() => decode(unknown), /unknown matrix 11/);
});

test('10 and 12 bits become 16 of full range', async () => {
  const { data, image } = deepPhoto();
  for (const bits of ['10', '12']) {
    const decoded = await decode(await encode(image.clone(), '-q', '95', '-b', bits, '-p', 'chroma=444'));
    assert.ok(decoded.data instanceof Uint16Array);
    assert.ok(difference(decoded, { data, info: { width: 300, height: 200, channels: 3 } }) < 0.2);
  }
});

test('alpha, also multiplied with the colours', async () => {
  const colours = Buffer.alloc(300 * 200 * 4);
  for (let i = 0; i < 300 * 200; i++) colours.set([200, 100, 50, ((i % 300) * 255) / 299], i * 4);
  const raw = { width: 300, height: 200, channels: 4 };
  const multiplied = colours.map((value, i) =>
    i % 4 === 3 ? value : Math.round((value * colours[i | 3]) / 255),
  );
  for (const [data, options] of [
    [colours, []],
    [multiplied, ['--premultiplied-alpha']],
  ]) {
    const image = await decode(
      await encode(sharp(data, { raw }), '-q', '98', '-p', 'chroma=444', ...options),
    );
    assert.equal(image.channels, 4);
    colours.forEach((value, i) => {
      // Too few steps are left of the others.
      if (colours[i | 3] < 64) return;
      const tolerance = i % 4 === 3 || options.length === 0 ? 2 : 8;
      assert.ok(Math.abs(image.data[i] - value) <= tolerance, `${image.data[i]} instead of ${value} at ${i}`);
    });
  }
});

test('an alpha image without a rotation is turned with the image, whatever its size', async () => {
  for (const [width, height] of [
    [302, 204],
    [150, 102],
  ]) {
    const black = { create: { width, height, channels: 3, background: '#000' } };
    const left = { create: { width: width / 2, height, channels: 3, background: '#fff' } };
    const alpha = await coded(
      sharp(black)
        .composite([{ input: left, left: 0, top: 0 }])
        .toColourspace('b-w'),
    );
    const layer = {
      ...alpha,
      properties: [...alpha.properties, files.auxC('urn:mpeg:hevc:2015:auxid:1')],
      refers: { auxl: [1] },
    };
    const turned = (turns) =>
      decode(heicOf([{ ...still, properties: [...still.properties, irot(turns)] }, layer]));
    const alphaAt = ({ data, width: line }, x, y) => data[(y * line + x) * 4 + 3];
    const once = await turned(1);
    assert.deepEqual([once.width, once.height], [204, 302]);
    assert.ok(alphaAt(once, 100, 10) < 5 && alphaAt(once, 100, 290) > 250);
    const twice = await turned(2);
    assert.ok(alphaAt(twice, 10, 100) < 5 && alphaAt(twice, 290, 100) > 250);
  }
});

const exif = Buffer.from('4d4d002a0000000800020112000300000001000600000131000200000004496373000000', 'hex');

test('a photo of a phone: tiles, profile, EXIF that says upright, XMP, and names of what goes', async () => {
  const file = await files.phoneFile(photo(1100, 800), { exif, xmp: '<x:xmpmeta/>' });
  const image = await decode(file);
  assert.deepEqual([image.width, image.height], [800, 1100]);
  assert.ok(difference(image, await convert(file)) < 0.7);
  assert.deepEqual(image.removed.sort(), ['depth', 'gain-map']);
  assert.equal(Buffer.from(image.icc).toString('latin1', 36, 40), 'acsp');
  const upright = Buffer.from(exif);
  upright[19] = 1;
  assert.deepEqual(Buffer.from(image.exif), upright);
  assert.equal(Buffer.from(image.xmp).toString(), '<x:xmpmeta/>');
});

test('names other pictures, videos and content credentials', async () => {
  const video = Buffer.from('0000000c6d707664', 'hex');
  const credentials = Buffer.from('0000001b75756964d8fec3d61b0e483c92975828877ec481010203', 'hex');
  const file = heicOf([still, still], { after: [Buffer.concat([video, Buffer.alloc(4)]), credentials] });
  const image = await decode(file);
  assert.deepEqual(image.removed, ['other-pictures', 'motion-video', 'content-credentials']);
  assert.deepEqual(Buffer.from(image.credentials), Buffer.of(1, 2, 3));
});

test('codes of colours: absent for sRGB, and for a profile unless HDR', async () => {
  const p3 = (await sharp(await photo(8, 8).withIccProfile('p3').png().toBuffer()).metadata()).icc;
  const codes = async (...properties) => (await decode(withProperties(...properties))).cicp;
  assert.equal(await codes(), undefined);
  assert.equal(await codes(nclx(1, 13, 6, true)), undefined);
  assert.equal(await codes(nclx(2, 2, 2, true)), undefined);
  assert.deepEqual(await codes(nclx(12, 2, 6, true)), [12, 13]);
  assert.equal(await codes(files.icc(p3), nclx(12, 13, 6, true)), undefined);
  assert.deepEqual(await codes(files.icc(p3), nclx(9, 16, 6, true)), [9, 16]);
});

test('says that an image sequence is animated', () => {
  assert.deepEqual(format.dimensions(withProperties(irot(1))), { width: 204, height: 302 });
  for (const [samples, size] of [
    [1, {}],
    [5, { isAnimated: true }],
  ]) {
    const file = heicOf([still], { after: [files.pictureTrack(samples, 64, 48)] });
    assert.deepEqual(format.dimensions(file), { width: 302, height: 204, ...size });
  }
  const bare = Buffer.concat([
    Buffer.from('00000010667479706865766300000000', 'hex'),
    files.pictureTrack(5, 64, 48),
  ]);
  assert.deepEqual(format.dimensions(bare), { width: 64, height: 48, isAnimated: true });
});

test('every shorter file is refused, and one with more behind it read', async () => {
  const file = await files.phoneFile(photo(600, 400), { exif });
  for (let length = 0; length < file.length; length += length < 3000 ? 1 : 997)
    assert.match(
      refusal(file.subarray(0, length)) ?? 'none',
      /cut off|too early|no HEIC|no primary|no data|not state/,
      `${length} bytes`,
    );
  assert.match(refusal(file.subarray(0, -1)), /cut off/);
  assert.deepEqual(format.dimensions(Buffer.concat([file, Buffer.from('SEFH\x01\x02\x03\x04 trailing')])), {
    width: 400,
    height: 600,
  });
});

test('refuses what is coded larger than stated, in the parameters or in the data', async () => {
  const large = await coded(photo(512, 512));
  const small = [...large.properties.filter((each) => !each.includes('ispe')), ispe(64, 64)];
  assert.match(
    refusal(heicOf([{ ...large, properties: small }])),
    /coded with 512 x 512 px and stated with 64 x 64 px/,
  );
  const parameters = large.properties.find((each) => each.includes('hvcC'));
  const at = parameters.indexOf(Buffer.from([33, 0, 1])) + 3;
  const sps = parameters.subarray(at + 2, at + 2 + parameters.readUInt16BE(at));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(sps.length);
  await assert.rejects(
    () => decode(heicOf([{ ...still, data: Buffer.concat([length, sps, still.data]) }])),
    /coded with 512 x 512/,
  );
});

test('refuses grids that lie, before anything is decoded', async () => {
  const tile = await coded(photo(64, 64));
  const grid = (data, refers, size = [128, 64]) =>
    heicOf([
      { type: 'grid', data: Buffer.from(data, 'hex'), properties: [ispe(...size)], refers: { dimg: refers } },
      tile,
    ]);
  assert.deepEqual(format.dimensions(grid('0000000100800040', [2, 2])), { width: 128, height: 64 });
  assert.match(refusal(grid('0000000100800040', [2])), /lacks 1 of 2 tiles/);
  assert.match(refusal(grid('0000000100800040', [2, 9])), /lacks its parts/);
  assert.match(refusal(grid('0000000100800040', [1, 1])), /no coded image/);
  assert.match(refusal(grid('0000000100810040', [2, 2])), /another size/);
  assert.match(refusal(grid('0000000100400040', [2, 2], [64, 64])), /do not fit/);
  const cycle = { type: 'iden', data: Buffer.alloc(1), properties: [ispe(64, 64)], refers: { dimg: [1] } };
  assert.match(refusal(heicOf([cycle])), /derived from itself/);
  assert.match(refusal(heicOf([{ ...tile, type: 'av01' }])), /of the type "av01", not HEVC/);
  const unknown = Buffer.from('000000086c73656c', 'hex');
  assert.deepEqual(format.dimensions(withProperties(unknown)), { width: 302, height: 204 });
});

test('damaged files are refused with a sentence or keep their size, and the next one is read', async () => {
  const file = await files.phoneFile(photo(600, 400), { exif });
  const header = file.indexOf('mdat');
  for (let i = 0, seed = 1; i < 400; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const damaged = patched(file, seed % (i % 4 === 0 ? file.length - 2 : header), seed >>> 16);
    try {
      const size = format.dimensions(damaged);
      if (size.width * size.height > 1e6) continue;
      const { width, height, channels, data } = await format.decode(damaged, size);
      assert.deepEqual([width, height, data.length], [size.width, size.height, width * height * channels]);
    } catch (error) {
      assert.equal(error.constructor, Error, error.stack);
    }
  }
  assert.ok(difference(await decode(file), await convert(file)) < 0.7);
});

test('a crop hides at most 16 megapixels', async () => {
  const flat = (width, height) =>
    coded(sharp({ create: { width, height, channels: 3, background: '#456' } }), '-p', 'preset=ultrafast');
  for (const [side, isRead] of [
    [3968, true],
    [4096, false],
  ]) {
    const item = await flat(side, side);
    const file = heicOf([{ ...item, properties: [...item.properties, clap(64, 64, 0, 0)] }]);
    assert.equal(refusal(file) === undefined, isRead);
  }
});

test('frees the memory of its library', async () => {
  await decode(withProperties());
  assert.deepEqual([format.releaseMemory(), format.releaseMemory()], [true, false]);
});

test('its pixels are those of the source', async () => {
  const source = await pixelsOf(photo(302, 204));
  assert.ok(difference(await decode(withProperties()), source) < 1.5);
});

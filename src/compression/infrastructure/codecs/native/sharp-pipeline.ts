/**
 * Opens, scales and crops images with sharp, for all native codecs. The pixel limit of the deployment was
 * checked before; here sharp is limited to the pixels that the header declares, in case libjpeg or libpng
 * reads the file differently.
 */
import sharp, { type Sharp, type ResizeOptions } from 'sharp';
import type { SrgbConversion, DecodeOptions } from '../../../application/codecs.port';
import { type Region, planCrop, storedRegion, type CropPlan, plainBorder } from '../../../domain/crop-plan';
import {
  uprightSize,
  type Dimensions,
  type Orientation,
  coveringSize,
  scaleSize,
  type Crop,
} from '../../../domain/dimensions';
import { toTenBits, type Pixels } from '../../../domain/pixels';

// A worker has one image and one core: caches and threads would only take memory and time from others.
sharp.cache(false);
sharp.concurrency(1);

/** Whether to mirror left to right, then the degrees to rotate clockwise (TIFF 6.0, tag 274). */
const UPRIGHT: Readonly<Record<Orientation, readonly [isMirrored: boolean, degrees: 0 | 90 | 180 | 270]>> = {
  1: [false, 0],
  2: [true, 0],
  3: [false, 180],
  4: [true, 180],
  5: [true, 270],
  6: [false, 90],
  7: [true, 90],
  8: [false, 270],
};

/** Halving while decoding would shift an image whose sides are odd by up to a pixel of the upload. */
export const SCALED = { fit: 'fill', kernel: 'lanczos3', fastShrinkOnLoad: false } as const;

export interface OpenOptions extends DecodeOptions {
  /** The size in the header of the file. */
  readonly storedSize: Dimensions;
  /** Of the stored image; it is cut first. */
  readonly part?: Region;
  readonly toSrgb?: SrgbConversion;
}

/**
 * Returns a pipeline that yields the image upright, at `size` if there is one. Samples stay as stored unless
 * `toSrgb` names the profile.
 */
export function openUpright(
  bytes: Uint8Array,
  { storedSize, orientation, size, toSrgb, part }: OpenOptions,
): Sharp {
  const [isMirrored, degrees] = UPRIGHT[orientation];
  // failOn 'error': 'warning' refuses files of real cameras, 'none' returns grey bands for truncated files.
  const limitInputPixels = storedSize.width * storedSize.height;
  let pipeline = sharp(bytes, { failOn: 'error', limitInputPixels, ignoreIcc: toSrgb !== 'profile' });
  if (part) pipeline = pipeline.extract(part);
  // Resize before rotating: rotation holds the whole image in memory, and the resized one is smaller.
  if (size) {
    const { width, height } = uprightSize(size, orientation);
    pipeline = pipeline.resize(width, height, SCALED);
  }
  if (isMirrored) pipeline = pipeline.flop();
  if (degrees !== 0) pipeline = pipeline.rotate(degrees);
  return pipeline;
}

/** The pixel limit was checked before. */
const limitInputPixels = false;

/** Returns a pipeline over decoded pixels. libvips takes the upper ones of 16 bits; of 8, it would write white as 1020 of 1023. */
export function openPixels({ width, height, channels, data }: Pixels, bitDepth = 8): Sharp {
  const isDeep = bitDepth > 8;
  const samples = isDeep ? toTenBits(data, 6) : data;
  const raw = { width, height, channels };
  return sharp(samples, { raw, limitInputPixels }).toColourspace(colourspace(channels, isDeep));
}

function colourspace(channels: number, isDeep: boolean) {
  const [grey, colour] = isDeep ? ['grey16', 'rgb16'] : ['b-w', 'srgb'];
  return channels <= 2 ? grey : colour;
}

/** Decodes a file that this service has encoded. Samples stay as stored, regardless of the profile. */
export async function decodeResult(bytes: Uint8Array): Promise<Pixels> {
  return readPixels(openStored(bytes));
}

/** Returns what the pipeline yields, in samples of 8 bits. */
export async function readPixels(pipeline: Sharp): Promise<Pixels> {
  const { data, info } = await pipeline.raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}

/** Decodes an upload whose header was read before, with the depth of its samples. Samples stay as stored, regardless of the profile. */
export async function decodeUpload(bytes: Uint8Array) {
  const { pipeline, isDeep } = await asStored(openStored(bytes));
  return readSamples(pipeline, isDeep);
}

/** Decodes a file whose samples have more than 8 bits; starts at once. */
export function decodeDeep(bytes: Uint8Array) {
  return readSamples(openStored(bytes).toColourspace('rgb16'), true);
}

function openStored(bytes: Uint8Array) {
  return sharp(bytes, { failOn: 'error', limitInputPixels, ignoreIcc: true });
}

async function readSamples(pipeline: Sharp, isDeep: boolean) {
  const { data, info } = await pipeline
    .raw({ depth: isDeep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const samples = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  return { width, height, channels, data: samples };
}

/** Longer side of the miniature on which a plain border is looked for. */
const MINIATURE_PX = 128;
/** Scales the image, or a part of a large one, first: sharp does not combine crops with rotations. */
export async function openCropped(bytes: Uint8Array, options: OpenOptions): Promise<Sharp> {
  const { size, crop, storedSize, orientation } = options;
  if (!size || !crop) return openUpright(bytes, options);
  const upright = uprightSize(storedSize, orientation);
  const plan = planCrop(upright, size);
  if (plan) return openLarge(bytes, { ...options, size, crop }, plan);
  return cropped(await scaledTo(bytes, { ...options, size: coveringSize(upright, size) }), size, crop);
}

/** The crop of an image that would take too much memory as a whole: see crop-plan.ts. */
async function openLarge(
  bytes: Uint8Array,
  options: OpenOptions & { readonly size: Dimensions; readonly crop: Crop },
  { miniature, part, regionAt }: CropPlan,
) {
  const { size, crop, storedSize, orientation } = options;
  const small = await scaledTo(bytes, { ...options, size: miniature });
  const fitting = await cropping(small, crop);
  const upright = uprightSize(storedSize, orientation);
  if (fitting.fit === 'contain') {
    const scale = Math.min(size.width / upright.width, size.height / upright.height);
    const scaled = await scaledTo(bytes, { ...options, size: scaleSize(upright, scale) });
    return sharp(scaled).resize(size.width, size.height, fitting);
  }
  const { info } = await sharp(small)
    .resize(part.width, part.height, fitting)
    .raw()
    .toBuffer({ resolveWithObject: true });
  // Offsets are negative: how far the image was moved.
  const place = { left: -(info.cropOffsetLeft ?? 0), top: -(info.cropOffsetTop ?? 0) };
  return openUpright(bytes, { ...options, part: storedRegion(regionAt(place), upright, orientation) });
}

/** Returns the whole image as a PNG that is not compressed: sharp passes images between pipelines as files. */
function scaledTo(bytes: Uint8Array, options: OpenOptions) {
  return writtenPng(openUpright(bytes, options), 0);
}

export async function writtenPng(image: Sharp, compressionLevel: number): Promise<Uint8Array> {
  return (await asStored(image)).pipeline.png({ compressionLevel }).toBuffer();
}

/** With the depth of the samples, in grey if the image is grey. */
async function asStored(pipeline: Sharp) {
  const { depth, channels } = await pipeline.metadata();
  const isDeep = depth === 'ushort';
  return { pipeline: pipeline.toColourspace(colourspace(channels, isDeep)), isDeep };
}

async function cropped(image: Uint8Array, { width, height }: Dimensions, crop: Crop) {
  return sharp(image, { limitInputPixels }).resize(width, height, await cropping(image, crop));
}

async function cropping(image: Uint8Array, crop: Crop): Promise<ResizeOptions> {
  const background = crop === 'thumb' ? await readBackground(image) : undefined;
  if (background) return { fit: 'contain', background, kernel: SCALED.kernel };
  return { fit: 'cover', position: sharp.strategy.attention, kernel: SCALED.kernel };
}

async function readBackground(image: Uint8Array) {
  const miniature = sharp(image, { limitInputPixels })
    .resize(MINIATURE_PX, MINIATURE_PX, { fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha();
  const colour = plainBorder(await readPixels(miniature), 255);
  if (!colour) return undefined;
  const [r, g, b, alpha] = colour;
  return { r, g, b, alpha: alpha / 255 };
}

const INKS = 4;

/**
 * Returns RGB of a CMYK file without a profile, as browsers show it; sharp would convert it with a profile of
 * its own. Recipes need this before they score: scores mean nothing on amounts of ink (see
 * perceptual-planes.ts).
 */
export async function openPlainCmyk(jpeg: Uint8Array, options: OpenOptions): Promise<Sharp> {
  const { storedSize, orientation, size, crop } = options;
  const isCropped = size !== undefined && crop !== undefined;
  const whole = isCropped ? coveringSize(uprightSize(storedSize, orientation), size) : size;
  const inks = openUpright(jpeg, { storedSize, orientation, size: whole })
    // Otherwise sharp converts to sRGB and back.
    .pipelineColourspace('cmyk')
    .toColourspace('cmyk');
  const { width, height, data } = await readPixels(inks);
  const rgb = sharp(convertToRgb(data), { raw: { width, height, channels: 3 }, limitInputPixels });
  return isCropped ? cropped(await rgb.png({ compressionLevel: 0 }).toBuffer(), size, crop) : rgb;
}

/** Each ink absorbs its share of the light that black leaves. */
function convertToRgb(cmyk: Uint8Array): Uint8Array {
  const out = new Uint8Array((cmyk.length / INKS) * 3);
  for (let from = 0, to = 0; from < cmyk.length; from += INKS) {
    const left = 255 - cmyk[from + 3];
    for (let c = 0; c < 3; c++) out[to++] = Math.round(((255 - cmyk[from + c]) * left) / 255);
  }
  return out;
}

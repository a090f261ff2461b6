/** Crops with sharp: towards the most salient part, or around an object on a plain background. */
import sharp, { type ResizeOptions, type Sharp } from 'sharp';
import { planCrop, storedRegion, type CropPlan } from '../../../domain/crop-plan';
import { coveringSize, uprightSize, type Crop, type Dimensions } from '../../../domain/dimensions';
import { plainBorder } from '../../../domain/plain-border';
import { openUpright, SCALED, type OpenOptions } from './sharp-pipeline';

/** Longer side of the miniature whose border is examined. */
const MINIATURE_PX = 128;
const { kernel } = SCALED;
/** The pixel limit was checked before the image was scaled. */
const limitInputPixels = false;

/**
 * Returns a pipeline that yields the image upright at the requested size, cropped if the options ask for it. The whole image is scaled
 * first, because sharp does not combine crops with rotations; of a large one, only the part that is kept.
 */
export async function openCropped(bytes: Uint8Array, options: OpenOptions): Promise<Sharp> {
  const { size, crop, storedSize, orientation } = options;
  if (!size || !crop) return openUpright(bytes, options);
  const upright = uprightSize(storedSize, orientation);
  const plan = planCrop(upright, size);
  if (plan) return openLarge(bytes, { ...options, size, crop }, plan);
  return cropped(await scaledTo(bytes, { ...options, size: coveringSize(upright, size) }), size, crop);
}

async function openLarge(
  bytes: Uint8Array,
  options: OpenOptions & { readonly size: Dimensions; readonly crop: Crop },
  { miniature, part, regionAt }: CropPlan,
): Promise<Sharp> {
  const { size, crop, storedSize, orientation } = options;
  const small = await scaledTo(bytes, { ...options, size: miniature });
  const fitting = await cropping(small, crop);
  const upright = uprightSize(storedSize, orientation);
  if (fitting.fit === 'contain') {
    const scale = Math.min(size.width / upright.width, size.height / upright.height);
    const side = (length: number) => Math.max(1, Math.round(length * scale));
    const inside = { width: side(upright.width), height: side(upright.height) };
    const scaled = await scaledTo(bytes, { ...options, size: inside });
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

/** Returns the whole image upright at the size, as a PNG that is not compressed. */
async function scaledTo(bytes: Uint8Array, options: OpenOptions): Promise<Uint8Array> {
  const pipeline = openUpright(bytes, options);
  const { depth, channels } = await pipeline.metadata();
  const [grey, colour] = depth === 'ushort' ? ['grey16', 'rgb16'] : ['b-w', 'srgb'];
  return pipeline
    .toColourspace(channels <= 2 ? grey : colour)
    .png({ compressionLevel: 0 })
    .toBuffer();
}

/** Returns a pipeline that yields a part of an image in a file. */
export async function cropped(image: Uint8Array, { width, height }: Dimensions, crop: Crop): Promise<Sharp> {
  return sharp(image, { limitInputPixels }).resize(width, height, await cropping(image, crop));
}

async function cropping(image: Uint8Array, crop: Crop): Promise<ResizeOptions> {
  const background = crop === 'thumb' ? await backgroundOf(image) : undefined;
  if (background) return { fit: 'contain', background, kernel };
  return { fit: 'cover', position: sharp.strategy.attention, kernel };
}

async function backgroundOf(image: Uint8Array) {
  const { data, info } = await sharp(image, { limitInputPixels })
    .resize(MINIATURE_PX, MINIATURE_PX, { fit: 'inside' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const colour = plainBorder({ width: info.width, height: info.height, data }, 255);
  if (!colour) return undefined;
  const [r, g, b, alpha] = colour;
  return { r, g, b, alpha: alpha / 255 };
}

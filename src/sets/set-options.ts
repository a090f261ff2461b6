/**
 * The options of a set, besides those of each image, for the command line and the library. Values are text;
 * rules about several options follow the table.
 */
import { z } from 'zod';
import { choice, integer, tenths } from '../environment/settings-slice';
import {
  LEAST_DIMENSION_PX,
  MOST_DENSITY,
  MOST_DIMENSION_PX,
} from '../compression/domain/compression-policy';
import { PLACEHOLDERS, type SetOptions } from './set-plan';

const width = integer(LEAST_DIMENSION_PX, MOST_DIMENSION_PX);

/** Reads values separated by commas. */
const list = (item: z.ZodType<number, string>) =>
  z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(item));

/** Described for the command line. */
export const SET_OPTIONS = z.object({
  widths: list(width).describe('widths of the files in pixels, such as 480,960,1920'),
  width: width.describe('width of the image in a page, in CSS pixels; needs densities'),
  densities: list(tenths(1, MOST_DENSITY)).describe(
    'with width: a file for each density, in pixels per CSS pixel, such as 1,2,3; it is judged as it is seen there',
  ),
  placeholder: choice(PLACEHOLDERS).describe(
    'what the markup shows until the image has loaded: colour, or blur, a tiny preview',
  ),
  name: z
    .string()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u, {
      error: 'must be 1 to 100 letters, digits, spaces and ". _ -", and begin with a letter or digit',
    })
    .describe('start of the file names (default: image)'),
  alt: z.string().max(1000).describe('text instead of the image, for the markup'),
});

export type SetOptionName = keyof typeof SET_OPTIONS.shape;
export type SetTexts = { readonly [Name in SetOptionName]?: string | undefined };

/** An option of a set that is wrong. @param rule what the value breaks, as the end of a sentence */
export class SetOptionFault extends Error {
  constructor(
    readonly option: SetOptionName,
    readonly rule: string,
  ) {
    super(`${option} ${rule}`);
  }
}

/** @throws SetOptionFault */
export function setOptionsFrom(texts: SetTexts): SetOptions {
  const { data, error } = SET_OPTIONS.partial().safeParse(texts);
  if (error) {
    const [{ path, message }] = error.issues;
    const isOfList = path.length > 1;
    const rule = isOfList ? `is a list of numbers separated by commas: each ${message}` : message;
    throw new SetOptionFault(path[0] as SetOptionName, rule);
  }
  const { widths, width: cssWidth, densities, name = 'image', alt = '', placeholder } = data;
  if (widths && cssWidth !== undefined) throw new SetOptionFault('width', 'cannot be combined with widths');
  if (widths && densities) throw new SetOptionFault('densities', 'needs width instead of widths');
  if (densities && cssWidth === undefined)
    throw new SetOptionFault('width', 'must be given, because densities multiply it');
  if (cssWidth !== undefined && !densities)
    throw new SetOptionFault('densities', 'must be given with width, such as 1,2,3');
  if (!widths && !densities)
    throw new SetOptionFault('widths', 'must be given, or else a width and densities');
  const sizes = widths ? { widths } : { width: cssWidth as number, densities: densities as number[] };
  return { sizes, name, alt, placeholder };
}

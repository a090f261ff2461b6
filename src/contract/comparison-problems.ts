/**
 * Why two images cannot be compared. Only the command line and the library compare, so these sentences name
 * no HTTP option.
 */
import { otherFormat, withArticle, type Formats } from './formats';
import { ImageRefused, type RefusalReason } from './image-problems';

/** @param start the first bytes of the image to compare */
export const notAResult = (formats: Formats, start: Uint8Array = new Uint8Array()) => {
  const name = otherFormat(start);
  const kind = name === undefined ? '' : `${name}, `;
  const others = formats.unrecognised.map(
    (label) =>
      ` Files of ${label} cannot be compared, because the manifest of that format has no "signatures".`,
  );
  return new ImageRefused(
    'not-a-result',
    `The image to compare is ${kind}not ${withArticle(formats.recognisedOr)}, judging by its first bytes.${others.join('')}`,
  );
};

/** @param label of its format */
export const undecodableResult = (label: string) =>
  new ImageRefused(
    'undecodable-result',
    `The ${label} to compare cannot be decoded: it is damaged, truncated or of an unsupported type.`,
  );

/** Reasons with one sentence each. */
const OBSTACLES = {
  'other-colours':
    'The images have different colour profiles, so equal samples are different colours. Convert one to the profile of the other.',
  frames: 'Animations cannot be compared. Send single images.',
  'no-decoder': 'This service cannot decode the format of the image to compare.',
} as const satisfies Partial<Record<RefusalReason, string>>;

export const cannotCompare = (reason: keyof typeof OBSTACLES) => new ImageRefused(reason, OBSTACLES[reason]);

/** For `catch`, where an original is read: its refusals speak of an upload, and could be those of the image. */
export function refuseOriginal(error: unknown): never {
  if (!(error instanceof ImageRefused)) throw error;
  const { reason, message, numbers, fault } = error;
  throw new ImageRefused(reason, `Of the original: ${message}`, numbers, fault);
}

/** In pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

const sizeText = ({ width, height }: Size) => `${width} x ${height}`;

export const largerThanOriginal = (original: Size, image: Size) =>
  new ImageRefused(
    'larger-image',
    `The image to compare is larger (${sizeText(image)}) than the original (${sizeText(original)}). Originals are scaled down, never up.`,
  );

/** @param scaled the original at the longer side of the image */
export const otherShape = (scaled: Size, image: Size) =>
  new ImageRefused(
    'other-shape',
    `The image to compare has ${sizeText(image)} pixels; the original scaled to its longer side has ${sizeText(scaled)}. Compare the whole image, not a crop.`,
  );

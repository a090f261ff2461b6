/** An upload that is decoded once, for its own format and for others. */
import { cannotConvert } from '../../../contract/image-problems';
import { asRgba, maxDifference } from '../../domain/pixels';
import { withTones } from '../../domain/tone';
import type { JpegSource, PngSource } from '../../formats/image-header';
import { compressOpenedJpeg } from '../jpeg/jpeg-recipe';
import { predictLossy } from '../jpeg/jpeg-search';
import type { Outcome } from '../outcome';
import { compressOpenedPng } from '../png/png-recipe';
import { PngWork } from '../png/png-work';
import { once, type Work } from '../work';
import { convertibleJpeg, convertiblePng, openForConversion, type Convertible } from './convertible';

export interface OpenedUpload {
  readonly image: Convertible;
  /** Compresses in the format of the upload. */
  readonly own: () => Promise<Outcome>;
  /** Size of the result in the format of the upload, or its prediction. */
  readonly ownBytes: () => Promise<number>;
}

export function openUpload({ source, ...work }: Work): Promise<OpenedUpload> {
  switch (source.format) {
    case 'jpeg':
      return openJpeg({ source, ...work });
    case 'png':
      return openPng({ source, ...work });
  }
}

async function openJpeg(work: Work<JpegSource>): Promise<OpenedUpload> {
  const opened = openForConversion(work);
  return {
    image: await convertibleJpeg(opened, work.source),
    own: once(() => compressOpenedJpeg(opened)),
    ownBytes: async () => (await predictLossy(opened))?.bytes ?? 0,
  };
}

/** A PNG is compressed as a PNG first: other formats take fewer bytes for its pixels too. */
async function openPng(work: Work<PngSource>): Promise<OpenedUpload> {
  const { source } = work;
  if (source.structure.isAnimated)
    throw cannotConvert('it is animated, and the result would lose its frames');
  const opened = new PngWork(work);
  const image = await convertiblePng(opened, source);
  const own = once(() => compressOpenedPng(opened));
  const reduced = once(async () => {
    const outcome = await own();
    if ('skipReason' in outcome || outcome.score === 1) return undefined;
    const { bytes, score, maxError } = outcome;
    const decoded = await opened.codec.decode(bytes);
    const pixels = image.curves ? withTones(decoded, image.curves) : decoded;
    const shownError = image.curves ? maxDifference(asRgba(image.pixels), pixels) : maxError;
    return { pixels, score, ...(maxError === undefined ? {} : { maxError: shownError }) };
  });
  return {
    image: image.isPhoto ? image : { ...image, reduced },
    own,
    ownBytes: async () => (await own()).bytes.length,
  };
}

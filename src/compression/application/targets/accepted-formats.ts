/** Which formats a result may have: what the client accepts, the engine writes, and the file does not lose by. */
import type { TargetFormat } from '../../../contract/formats';
import type { Source } from '../../formats/image-header';
import type { Work } from '../work';
import { isLikeSrgb } from '../../formats/icc-profile';
import { pngColours } from '../../formats/png/png-shown-colours';
import { jpegColours } from '../../formats/shown-colours';
import { canWrite } from './targets';

/** Returns the formats that the image may be converted to; none if it keeps its own. */
export function conversionFormats(work: Work): TargetFormat[] {
  const { source, engine } = work;
  if (mayStay(work) && mustStay(source)) return [];
  const others = otherFormats(work);
  const writable = others.filter((format) => canWrite(engine, format));
  // Without any, the first says why.
  return writable.length > 0 || mayStay(work) ? writable : others;
}

function otherFormats({ source, policy: { formats = [] } }: Work): TargetFormat[] {
  return formats.filter((format) => format !== 'same' && format !== source.format);
}

/** Whether the format of the upload is accepted. */
export function mayStay(work: Work): boolean {
  const { formats } = work.policy;
  return formats === undefined || otherFormats(work).length < formats.length;
}

/** Whether another format would lose what the file has besides its image, or what viewers show. */
function mustStay(source: Source): boolean {
  if (source.format === 'png') {
    const colours = pngColours(source.structure);
    return source.structure.isAnimated || !colours || colours.hasOtherProfile === true;
  }
  const { companions, components } = source.structure;
  const { gainMap, hasVideo, hasOtherPictures } = companions;
  const { curves = [], hasOtherProfile } = jpegColours(source.structure);
  const isRewrittenOnly = components.length === 4 || !curves.every(isLikeSrgb);
  return gainMap !== undefined || hasVideo || hasOtherPictures || isRewrittenOnly || hasOtherProfile === true;
}

/** IPTC texts (IIM 4.2) that XMP can express. */
import { keepsPart, type KeptMetadata, type MetadataPart } from '../../domain/compression-policy';
import { decodedText, type CarriedText, type CarriedTexts } from '../carried-texts';
import { HARMLESS_DATA, iptcDataSets, type DataSet } from './photoshop-resources';

const SAME: Readonly<
  Record<string, { readonly part: MetadataPart; readonly property: CarriedText['property'] }>
> = {
  '2:80': { part: 'copyright', property: 'dc:creator' },
  '2:110': { part: 'copyright', property: 'photoshop:Credit' },
  '2:116': { part: 'copyright', property: 'dc:rights' },
  '2:55': { part: 'creation', property: 'photoshop:DateCreated' },
  '2:62': { part: 'creation', property: 'xmp:CreateDate' },
};
/** The data set with the time of each date. */
const TIMES: Readonly<Record<string, string>> = { '2:55': '2:60', '2:62': '2:63' };
const KNOWN = [...HARMLESS_DATA, ...Object.keys(SAME), ...Object.values(TIMES)];

/**
 * Returns the IPTC texts to keep.
 * @param payload of an APP13 segment
 */
export function iptcTexts(payload: Uint8Array, keep: KeptMetadata): CarriedTexts {
  const sets = iptcDataSets(payload);
  const texts = sets.flatMap((set) => {
    const same = Object.hasOwn(SAME, set.name) ? SAME[set.name] : undefined;
    if (!same || !keepsPart(keep, same.part)) return [];
    const value = set.name in TIMES ? dateOf(set, sets) : decodedText(set.value);
    return value ? [{ property: same.property, value }] : [];
  });
  return { texts, hasMore: keep === 'all' && sets.some(({ name }) => !KNOWN.includes(name)) };
}

/** Returns an eight-digit date, with its time if there is one, in the form of XMP. */
function dateOf({ name, value }: DataSet, sets: readonly DataSet[]): string | undefined {
  const date = /^(\d{4})(\d\d)(\d\d)$/.exec(decodedText(value));
  if (!date) return undefined;
  const time = sets.find((other) => other.name === TIMES[name])?.value;
  const clock = time && /^(\d\d)(\d\d)(\d\d)(?:([+-]\d\d)(\d\d))?$/.exec(decodedText(time));
  const zone = clock?.[4] ? `${clock[4]}:${clock[5]}` : '';
  return date.slice(1).join('-') + (clock ? `T${clock.slice(1, 4).join(':')}${zone}` : '');
}

/**
 * Texts about author, owner and date in places that only one format has: IPTC in a JPEG, text chunks in a PNG. If the image gets
 * another format, XMP carries them.
 */
import type { EmbeddedBlocks } from './embedded-blocks';
import { exifRights } from './exif';
import { withoutFormat } from './xmp';
import { hasProperty, withProperties } from './xmp-parts';

/** A text, and the XMP property with the same meaning. */
export interface CarriedText {
  readonly property:
    'dc:rights' | 'dc:creator' | 'photoshop:Credit' | 'photoshop:DateCreated' | 'xmp:CreateDate';
  readonly value: string;
}

export interface CarriedTexts {
  readonly texts: readonly CarriedText[];
  /** Whether there is more to keep that XMP cannot carry. */
  readonly hasMore: boolean;
}

/** Longer values are not names. */
const MAX_CHARACTERS = 4000;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Characters that XML does not allow. */
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f]/g;

/** Adds these texts to XMP unless EXIF or XMP has them. Returns the blocks, and whether they are complete. */
export function withCarriedTexts(
  blocks: EmbeddedBlocks,
  { texts, hasMore }: CarriedTexts,
): { readonly blocks: EmbeddedBlocks; readonly isComplete: boolean } {
  const { exif } = blocks;
  const xmp = blocks.xmp && withoutFormat(blocks.xmp);
  const inExif = exif ? exifRights(exif).map(decodedText) : [];
  const inXmp = xmp ? Buffer.from(xmp).toString('latin1') : '';
  const isThere = (value: string) =>
    inExif.includes(value) ||
    [`>${escaped(value)}<`, `"${escaped(value)}"`, `'${escaped(value)}'`].some((text) =>
      inXmp.includes(text),
    );
  const missing = texts.filter(({ value }) => !isThere(value));
  // XMP of the file takes precedence.
  const added = missing.filter(
    ({ property, value }) => value.length <= MAX_CHARACTERS && !(xmp && hasProperty(xmp, property)),
  );
  const values = new Map<string, string[]>();
  for (const { property, value } of added)
    values.set(property, [...(values.get(property) ?? []), escaped(value)]);
  const packet = added.length > 0 ? withProperties(xmp, values) : xmp;
  const isComplete =
    !hasMore && added.length === missing.length && (packet !== undefined || added.length === 0);
  return { blocks: packet ? { ...blocks, xmp: packet } : blocks, isComplete };
}

/** Returns a text escaped for XML: its UTF-8 as Latin-1. */
function escaped(value: string): string {
  const text = value.replace(/[&<>]/g, (character) => ESCAPES[character]);
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Decodes UTF-8, or Latin-1 if the bytes are not UTF-8; drops characters that XML does not allow. */
export function decodedText(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    text = Buffer.from(bytes).toString('latin1');
  }
  return text.replace(CONTROLS, '').trim();
}

const DATE = /^(\d{4})[-:](\d\d)[-:](\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?))?$/;
const HTTP_DATE = /^\w{3}, \d{1,2} \w{3} \d{4} \d\d:\d\d(?::\d\d)? (?:GMT|UTC|[+-]\d{4})$/;

/** Returns a date in the form of XMP; undefined unless it is written as in ISO, EXIF or RFC 1123. */
export function xmpDate(text: string): string | undefined {
  const [, year, month, day, time] = DATE.exec(text) ?? [];
  if (year) return `${year}-${month}-${day}${time ? `T${time}` : ''}`;
  const parsed = HTTP_DATE.test(text) ? new Date(text) : undefined;
  return parsed && !Number.isNaN(parsed.getTime()) ? parsed.toISOString() : undefined;
}

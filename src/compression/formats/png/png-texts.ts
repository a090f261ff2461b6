/** Texts of a PNG that XMP can express: text chunks, and IPTC stored as text. */
import { keepsPart, type KeptMetadata } from '../../domain/compression-policy';
import { decodedText, xmpDate, type CarriedText, type CarriedTexts } from '../carried-texts';
import { iptcTexts } from '../jpeg/iptc-texts';
import type { PngChunk } from './png-chunks';
import { partOfText } from './png-metadata';
import { HARMLESS_KEYWORD, isText, isXmp, keywordOf, readText } from './png-text';
import { isRawProfile, readRawProfile } from './raw-profile';

/** More texts than any program writes; each may have to be inflated. */
const MAX_TEXTS = 32;

/** Returns the texts to keep when a PNG is converted to another format. */
export function pngTexts(chunks: readonly PngChunk[], keep: KeptMetadata): CarriedTexts {
  const found = chunks
    .filter((chunk) => isText(chunk) && !isXmp(chunk))
    .filter((chunk) => keep === 'all' || isRawProfile(chunk) || isPartOf(chunk, keep));
  const read = found.slice(0, MAX_TEXTS).map((chunk) => textsOf(chunk, keep));
  return {
    texts: read.flatMap(({ texts }) => texts),
    hasMore: found.length > MAX_TEXTS || read.some(({ hasMore }) => hasMore),
  };
}

function isPartOf(chunk: PngChunk, keep: KeptMetadata): boolean {
  const part = partOfText(chunk);
  return part !== undefined && keepsPart(keep, part);
}

function textsOf(chunk: PngChunk, keep: KeptMetadata): CarriedTexts {
  if (isRawProfile(chunk)) {
    const profile = readRawProfile(chunk);
    return profile?.kind === 'resources' ? iptcTexts(profile.block, keep) : { texts: [], hasMore: false };
  }
  const keyword = keywordOf(chunk);
  const part = partOfText(chunk);
  if (!part) return { texts: [], hasMore: !HARMLESS_KEYWORD.test(keyword) };
  const text = readText(chunk);
  const written = text && decodedText(text.value);
  const value = written && part === 'creation' ? xmpDate(written) : written;
  if (!value) return { texts: [], hasMore: written !== '' };
  return { texts: [{ property: propertyOf(keyword), value }], hasMore: false };
}

function propertyOf(keyword: string): CarriedText['property'] {
  if (/copyright$/i.test(keyword)) return 'dc:rights';
  return /time$/i.test(keyword) ? 'xmp:CreateDate' : 'dc:creator';
}

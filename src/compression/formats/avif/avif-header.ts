/** Reads the header of an AVIF file: the box `meta`, wherever it is (ISO/IEC 23008-12; MIAF). */
import { undecodableResult } from '../../../contract/comparison-problems';
import type { Dimensions } from '../../domain/dimensions';
import { text, uint16, uint32 } from '../byte-reader';
import type { StillHeader } from '../still-header';
import { boxesIn, MAX_BOXES, type Box } from './boxes';

const HEADER_BYTES = 8;
/** Codes of ITU-T H.273: those of sRGB, unspecified, and transfers that viewers treat alike. */
const SRGB_PRIMARIES = [1, 2];
const SRGB_TRANSFERS = [1, 2, 6, 13, 14, 15];

export function readAvifHeader(avif: Uint8Array): StillHeader {
  const properties = readProperties(avif);
  const colours = properties.filter(({ type }) => type === 'colr').map(({ content }) => content);
  const readKind = (content: Uint8Array) => text(content, 0, 4);
  const icc = colours.find((content) => ['prof', 'rICC'].includes(readKind(content)))?.subarray(4);
  const coded = colours.find((content) => readKind(content) === 'nclx');
  const hasSrgbCodes =
    !coded ||
    (SRGB_PRIMARIES.includes(uint16(coded, 4) ?? 0) && SRGB_TRANSFERS.includes(uint16(coded, 6) ?? 0));
  return {
    dimensions: largest(properties),
    icc,
    isAnimated: text(avif, 8, 12) === 'avis',
    // Rotations are properties of the image here, and decoders apply them.
    isRotated: false,
    isSrgbLike: icc !== undefined || hasSrgbCodes,
  };
}

function readProperties(avif: Uint8Array): Box[] {
  try {
    const meta = boxesIn(readMeta(avif), 4);
    const within = (boxes: readonly Box[], name: string) => boxes.find(({ type }) => type === name)?.content;
    const iprp = within(meta, 'iprp') ?? Buffer.alloc(0);
    return boxesIn(within(boxesIn(iprp, 0), 'ipco') ?? Buffer.alloc(0), 0);
  } catch {
    throw undecodableResult('AVIF');
  }
}

/** Other boxes at the top may have a 64-bit or open length. */
function readMeta(avif: Uint8Array): Uint8Array {
  for (let at = 0, count = 0; ; count++) {
    const length = uint32(avif, at) ?? 0;
    if (length < HEADER_BYTES || count >= MAX_BOXES) throw undecodableResult('AVIF');
    if (text(avif, at + 4, at + 8) === 'meta') return avif.subarray(at + HEADER_BYTES, at + length);
    at += length;
  }
}

/** The tiles of a grid and previews have sizes too. */
function largest(properties: readonly Box[]): Dimensions {
  const sizes = properties.flatMap(({ type, content }) => {
    const [width, height] = [uint32(content, 4), uint32(content, 8)];
    return type === 'ispe' && width && height ? [{ width, height }] : [];
  });
  if (sizes.length === 0) throw undecodableResult('AVIF');
  return sizes.reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a));
}

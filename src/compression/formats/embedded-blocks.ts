/** The blocks of metadata that all formats share (ICC profile, EXIF, XMP), and which parts of them a policy keeps. */
import type { RemovedData } from '../../contract/report-words';
import { keepsPart } from '../domain/compression-policy';
import { exifToKeep, type ExifOptions } from './exif';
import { isReshaped, saysSomething, type Resolution } from './reshaping';
import { labelledPacket, readRights, rightsFields, rightsXmp, type RightsSources } from './rights';
import { statesPositions, xmpPacket, type XmpPart } from './xmp';

export interface EmbeddedBlocks {
  readonly icc?: Uint8Array;
  /** A TIFF block, without the prefix `Exif\0\0` of JPEG. */
  readonly exif?: Uint8Array;
  readonly xmp?: Uint8Array;
  /** For formats with a field for it; the others state it in EXIF if they have EXIF. */
  readonly resolution?: Resolution;
}

/** Those of an upload that becomes pixels first, and what its coding says of colours. No result has a manifest store. */
export interface UploadBlocks extends Pick<EmbeddedBlocks, BlockName>, Pick<RightsSources, 'credentials'> {
  /** Colour primaries and transfer characteristics (ITU-T H.273); sRGB, or as `icc` says, if absent. */
  readonly cicp?: readonly [primaries: number, transfer: number];
}

export const BLOCK_NAMES = ['icc', 'exif', 'xmp'] as const;
export type BlockName = (typeof BLOCK_NAMES)[number];

interface KeptOptions extends Omit<ExifOptions, 'rights'> {
  /** Whether the file gets another format, which holds only these blocks. */
  readonly isConverted: boolean;
  /** Whether XMP is wrong in the new file for a reason besides its pixels. */
  readonly isXmpWrong?: boolean;
  readonly xmp?: readonly XmpPart[];
}

/** `losesXmp`: whether XMP that should stay is dropped because it is no longer right. A packet that stays unchanged is the same object. */
export function keptBlocks(
  sources: RightsSources,
  options: KeptOptions,
): { readonly blocks: EmbeddedBlocks; readonly losesXmp: boolean } {
  const { keep, reshaped, isConverted, isXmpWrong = false, xmp: parts = [] } = options;
  const isWhole = keep === 'all';
  const packet = isWhole ? labelledPacket(sources) : undefined;
  const losesXmp = packet !== undefined && (isXmpWrong || (isReshaped(reshaped) && statesPositions(packet)));
  const writesRights = isWhole ? isConverted || losesXmp : keepsPart(keep, 'copyright');
  // How the image was made stays, whatever the policy keeps.
  const rights = readRights(sources, writesRights);
  const exif = exifToKeep(sources.exif, { ...options, rights: rightsFields(rights) });
  const xmp = losesXmp || !packet ? xmpPacket([...rightsXmp(rights), ...parts]) : packet;
  return { blocks: { ...(exif && { exif }), ...(xmp && { xmp }) }, losesXmp };
}

export interface ConvertedBlocks {
  readonly blocks: EmbeddedBlocks;
  readonly removed: readonly RemovedData[];
}

/** @param options `hasMore`: whether the source holds metadata that these blocks cannot carry */
export function convertedBlocks(
  sources: RightsSources,
  options: Omit<KeptOptions, 'isConverted'> & { readonly hasMore: boolean },
): ConvertedBlocks {
  const { keep, resolution, hasMore } = options;
  const { blocks, losesXmp } = keptBlocks(sources, { ...options, isConverted: true });
  return {
    blocks: { ...blocks, ...(resolution && saysSomething(resolution) && { resolution }) },
    removed: [
      ...(losesXmp ? (['xmp-positions'] as const) : []),
      ...(hasMore && keep === 'all' ? (['kept-metadata'] as const) : []),
    ],
  };
}

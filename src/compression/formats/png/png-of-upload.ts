/** Makes the PNG of an upload that became pixels: uncompressed, with its depth, colours and metadata. */
import { deflateSync } from 'node:zlib';
import { withoutRedundantChannels, type Raster } from '../../domain/pixels';
import type { UploadBlocks } from '../embedded-blocks';
import { exifResolution } from '../exif';
import { readColourSpace } from '../icc-profile';
import { COLOUR_TYPES, headerChunk, pngChunk, pngOfChunks, unfilteredRows } from './png-chunks';
import { pngWithBlocks, withChunks } from './png-metadata';

export function pngOfUpload({
  width,
  height,
  channels,
  data,
  cicp,
  ...blocks
}: Raster & UploadBlocks): Uint8Array {
  const stored = { width, height, channels };
  // Only Uint16Array has two bytes an element.
  const isDeep = data.BYTES_PER_ELEMENT === 2;
  const image = isDeep
    ? { ...stored, width: width * 2, data: inNetworkOrder(data as Uint16Array) }
    : withoutRedundantChannels({ ...stored, data: data as Uint8Array }, mayBeGrey(blocks.icc) && !cicp);
  const png = pngOfChunks([
    headerChunk(stored, isDeep ? 16 : 8, COLOUR_TYPES[image.channels]),
    pngChunk('IDAT', deflateSync(unfilteredRows(image), { level: 0 })),
  ]);
  const coded = cicp ? withChunks(png, [pngChunk('cICP', Uint8Array.of(...cicp, 0, 1))]) : png;
  const resolution = exifResolution(blocks.exif);
  return pngWithBlocks(coded, { ...(resolution && { resolution }), ...blocks });
}

/** PNG allows a profile for grey only with grey samples. */
function mayBeGrey(icc: Uint8Array | undefined) {
  return icc === undefined || readColourSpace(icc) === 'GRAY';
}

function inNetworkOrder(samples: Uint16Array): Uint8Array {
  return Buffer.from(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)).swap16();
}

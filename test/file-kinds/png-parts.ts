/** Chunks that tests put into PNG files. */
import { deflateSync } from 'node:zlib';
import { pngChunk, type PngChunk } from '../../src/compression/formats/png/png-chunks';

export function iccpChunk(profile: Uint8Array): PngChunk {
  return pngChunk('iCCP', Buffer.concat([Buffer.from('made\0\0', 'latin1'), deflateSync(profile)]));
}

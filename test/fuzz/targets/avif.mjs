/** Boxes of an AVIF that gets metadata. The service reads only files of its own encoders. */
import assert from 'node:assert/strict';
import { load } from '../target-tools.mjs';

const { withAvifMetadata } = load('compression/formats/avif/avif-metadata.js');
const { boxesIn } = load('compression/formats/avif/boxes.js');
const { itemLocations } = load('compression/formats/avif/boxes.js');

const BLOCKS = {
  icc: Buffer.from('a profile'),
  exif: Buffer.from('an EXIF block'),
  xmp: Buffer.from('a packet'),
};

export const seeds = ({ avif }) => [avif];
export const words = 'meta pitm iloc iinf infe iprp ipco ipma iref cdsc mdat colr'.split(' ');

export function fuzz(data) {
  let result;
  try {
    result = Buffer.from(withAvifMetadata(data, BLOCKS));
  } catch (error) {
    // The encoder's output is refused as a fault of the service, whichever check finds it.
    assert(error instanceof Error && error.message !== 'Invalid array length');
    return;
  }
  const meta = boxesIn(result, 0).find(({ type }) => type === 'meta');
  const locations = itemLocations(boxesIn(meta.content, 4).find(({ type }) => type === 'iloc'));
  const dataOf = ({ extents }) =>
    Buffer.concat(extents.map(({ offset, length }) => result.subarray(offset, offset + length)));
  const [exif, xmp] = locations.slice(-2).map(dataOf);
  assert.deepEqual(exif, Buffer.concat([Buffer.alloc(4), BLOCKS.exif]));
  assert.deepEqual(xmp, BLOCKS.xmp);
}

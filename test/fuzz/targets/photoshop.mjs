/** Photoshop resources of APP13, with IPTC. */
import assert from 'node:assert/strict';
import { load, writtenBy } from '../target-tools.mjs';

const { iptcParts, isPrivatePhotoshop, PHOTOSHOP_HEADER, updatedResources } = load(
  'compression/formats/jpeg/photoshop-resources.js',
);
const { iptcTexts } = load('compression/formats/jpeg/photoshop-resources.js');

const resource = (id, data) => {
  const head = Buffer.from(`8BIM\0\0\0\0\0\0\0\0`, 'latin1');
  head.writeUInt16BE(id, 4);
  head.writeUInt32BE(data.length, 8);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};
const dataSet = (number, text) =>
  Buffer.concat([Buffer.from([0x1c, 2, number, 0, text.length]), Buffer.from(text)]);
const iptc = Buffer.concat([
  dataSet(80, 'Artist'),
  dataSet(116, 'Owner'),
  dataSet(55, '20260102'),
  dataSet(60, '030405+0100'),
]);

export const seeds = () =>
  [
    resource(0x0404, iptc),
    resource(0x03ed, Buffer.alloc(16, 1)),
    resource(0x040c, Buffer.from('thumbnail')),
  ].flatMap((one) =>
    [0, 1, 2, 4].map((keep) =>
      Buffer.concat([
        Buffer.from([keep, 0xd8]),
        Buffer.from(PHOTOSHOP_HEADER, 'latin1'),
        one,
        resource(2000, Buffer.alloc(9)),
      ]),
    ),
  );
export const words = ['8BIM\x04\x04', '8BIM\x03\xed', '\x1c\x02P', '\x1c\x01Z'];

export function fuzz(data) {
  const payload = data.subarray(2);
  const written = writtenBy(data);
  const updated = updatedResources(payload, written.reshaped);
  assert(!updated || updated.length <= Math.max(payload.length, PHOTOSHOP_HEADER.length));
  isPrivatePhotoshop(payload, true);
  for (const { value } of iptcTexts(payload, written.keep).texts) assert(value.length > 0);
  const parts = iptcParts(payload, 'copyright');
  if (!parts) return;
  assert(!isPrivatePhotoshop(parts, true), 'The kept parts are private.');
  assert.deepEqual(iptcParts(parts, 'copyright'), parts);
}

/** Which digital source type counts, of those in the manifests of an image and its ingredients. */
import { statedSourceType } from '../../../../src/compression/formats/content-credentials';

const ADDRESS = 'http://cv.iptc.org/newscodes/digitalsourcetype/';
const type = (name: string) => {
  const value = ADDRESS + name;
  return `qdigitalSourceTypex${String.fromCharCode(value.length)}${value}`;
};
const manifest = (...content: string[]) => `\0\0\0\x26jumdc2ma\0\x11\0\x10${content.join('rsoftware')}`;
const stated = (...manifests: string[]) =>
  statedSourceType(Buffer.from(manifests.join(''), 'latin1'))?.replace(ADDRESS, '');

const AI = type('trainedAlgorithmicMedia');
const CAMERA = type('digitalCapture');
const ENHANCED = type('algorithmicallyEnhanced');
const COMPOSITE = type('compositeWithTrainedAlgorithmicMedia');
const EDITED = ['c2pa.opened', 'parentOf'];
const PLACED = 'componentOf';

it.each([
  ['nothing', [manifest('c2pa.opened')], undefined],
  ['the active manifest', [manifest(AI), manifest(CAMERA)], 'digitalCapture'],
  ['the last of its actions', [manifest(AI, COMPOSITE)], 'compositeWithTrainedAlgorithmicMedia'],
  ['a generated image before an edit of it', [manifest(AI, type('humanEdits'))], 'trainedAlgorithmicMedia'],
  ['a generated image before an enhancement', [manifest(AI, ENHANCED)], 'trainedAlgorithmicMedia'],
  ['an enhancement before a camera', [manifest(CAMERA, ENHANCED)], 'algorithmicallyEnhanced'],
  ['the image that was edited', [manifest(AI), manifest(...EDITED)], 'trainedAlgorithmicMedia'],
  [
    'that of two edits',
    [manifest(AI), manifest(...EDITED), manifest(...EDITED, ENHANCED)],
    'trainedAlgorithmicMedia',
  ],
  ['that, with a part placed on it', [manifest(AI), manifest(...EDITED, PLACED)], 'trainedAlgorithmicMedia'],
  ['no part', [manifest(AI), manifest(PLACED)], undefined],
  [
    'no part of the image that was edited',
    [manifest(AI), manifest(CAMERA, PLACED), manifest(...EDITED)],
    'digitalCapture',
  ],
])('%s', (_, manifests, expected) => {
  expect(stated(...manifests)).toBe(expected);
});

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

it.each([
  ['nothing', [manifest('c2pa.opened')], undefined],
  ['the active manifest', [manifest(AI), manifest(CAMERA)], 'digitalCapture'],
  ['an action with an algorithm, before it', [manifest(AI, type('humanEdits'))], 'trainedAlgorithmicMedia'],
  ['an action with an algorithm, after it', [manifest(CAMERA, AI)], 'trainedAlgorithmicMedia'],
  [
    'the last with an algorithm',
    [manifest(AI, type('compositeWithTrainedAlgorithmicMedia'))],
    'compositeWithTrainedAlgorithmicMedia',
  ],
  [
    'the image that was edited',
    [manifest(AI), manifest('c2pa.opened', 'parentOf')],
    'trainedAlgorithmicMedia',
  ],
  ['no part of it', [manifest(AI), manifest('c2pa.placed', 'componentOf')], undefined],
])('%s', (_, manifests, expected) => {
  expect(stated(...manifests)).toBe(expected);
});

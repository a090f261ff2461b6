import assert from 'node:assert/strict';
import { load } from '../target-tools.mjs';

const { isPlainSrgb, isUsable, readGreyProfile, readMatrixProfile } = load(
  'compression/formats/icc-profile.js',
);
const { profiledColours } = load('compression/formats/shown-colours.js');
const { rgbProfile, solvePrimaries } = load('compression/formats/icc-writer.js');
const { readJpegStructure } = load('compression/formats/jpeg/jpeg-structure.js');
const { toneTables } = load('compression/domain/tone.js');

const D65 = [0.3127, 0.329];

export const seeds = (images) => [
  readJpegStructure(images['jpeg with metadata']).iccProfile,
  rgbProfile(solvePrimaries([...D65, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06])),
  rgbProfile(solvePrimaries([...D65, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046])),
];
export const words = 'acsp,RGB ,GRAY,CMYK,A2B0,rTRC,gTRC,bTRC,kTRC,rXYZ,cicp,curv,para'.split(',');

export function fuzz(profile) {
  isPlainSrgb(profile);
  isUsable(profile);
  for (const curve of [...(readMatrixProfile(profile)?.curves ?? []), readGreyProfile(profile)])
    for (const sample of [0, 0.5, 1]) assert.equal(typeof (curve?.(sample) ?? 0), 'number');
  for (const isGrey of [false, true]) {
    const { curves, icc } = profiledColours(profile, isGrey);
    if (curves) toneTables(curves, 256);
    if (icc && curves) assert(isUsable(icc), 'A profile that was made is not usable.');
  }
}

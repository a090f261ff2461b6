/** Draws docs/plots/png-*.png: a gradient with a soft shadow and grain, losslessly, in a palette, and near-lossless, at 300 %. */
import { join } from 'node:path';
import sharp from 'sharp';
import { root } from '../../scripts/prepare.mjs';
import { compressImage, load, nativeEngine, policy } from './support.mjs';

const { packIndexed } = load('compression/application/png/png-codings.js');

const [WIDTH, HEIGHT, CROP, ZOOM] = [900, 600, 100, 3];
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><defs>
<filter id="soft" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="18"/></filter>
<linearGradient id="sky" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="#312e81"/>
<stop offset=".5" stop-color="#be185d"/><stop offset="1" stop-color="#fb923c"/></linearGradient>
<linearGradient id="shade" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#0f766e" stop-opacity=".9"/>
<stop offset="1" stop-color="#fde68a" stop-opacity=".4"/></linearGradient>
<filter id="grain"><feTurbulence type="fractalNoise" baseFrequency=".7" numOctaves="2" seed="3"/></filter></defs>
<rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/><rect width="${WIDTH}" height="${HEIGHT}" fill="url(#shade)"/>
<rect width="${WIDTH}" height="${HEIGHT}" filter="url(#grain)" opacity=".1"/>
<rect x="300" y="210" width="300" height="200" rx="24" fill="#000" opacity=".5" filter="url(#soft)"/>
<rect x="300" y="200" width="300" height="200" rx="24" fill="#fff"/></svg>`;

export async function drawRungs() {
  const engine = nativeEngine();
  const drawn = await sharp(Buffer.from(DRAWING)).removeAlpha().png().toBuffer();
  const lossless = await compressImage(drawn, engine, { ...policy, pngMode: 'lossless' });
  const near = await compressImage(drawn, engine, policy);
  if (near.report.maxError === undefined) throw new Error('The drawing did not become near-lossless.');
  const palette = await packIndexed(
    await engine.png.quantise(await engine.png.decode(drawn), 90),
    engine.png,
    'balanced',
  );
  const files = { 'png-lossless': lossless.bytes, 'png-palette': palette, 'png-near-lossless': near.bytes };
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(root, 'docs', 'plots', `${name}.png`);
    await sharp(bytes)
      .extract({ left: 235, top: 350, width: CROP, height: CROP })
      .resize(CROP * ZOOM, CROP * ZOOM, { kernel: 'nearest' })
      .png({ compressionLevel: 9 })
      .toFile(path);
    console.log(`${name}: ${bytes.length} bytes`);
  }
  console.log(`near-lossless: no channel changed by more than ${near.report.maxError} of 255`);
}

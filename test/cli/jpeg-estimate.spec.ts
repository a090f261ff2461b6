import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { texturedPixels } from '../support/images';
import { Workplace } from '../support/command-line';

let place: Workplace;
beforeAll(async () => {
  place = new Workplace();
  const { data, width, height } = texturedPixels(400, 300);
  place.put(
    'photo.png',
    await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer(),
  );
});

it('says what a photo in a PNG would take as a JPG, and leaves it a PNG', () => {
  const { status, stdout } = place.run(['compress', 'photo.png', '-o', 'out.png']);
  expect(status).toBe(0);
  expect(stdout).toMatch(/^photo\.png: .*, as a JPG this would be about \d+\.\d kB, \d+ ms$/m);
  expect(readFileSync(place.path('out.png')).subarray(1, 4).toString()).toBe('PNG');
});

it('says it of a PNG that stays unchanged, and in JSON as jpegEstimate', () => {
  place.run(['compress', 'photo.png', '-o', 'small.png']);
  const again = ['compress', 'small.png', '--dry-run', '--force'];
  expect(place.run(again).stdout).toMatch(/unchanged .*, as a JPG this would be about \d+\.\d kB/);
  const { jpegEstimate, compressedSize } = JSON.parse(place.run([...again, '--json']).stdout) as {
    jpegEstimate: number;
    compressedSize: number;
  };
  expect(jpegEstimate).toBeGreaterThan(1000);
  expect(jpegEstimate).toBeLessThan(compressedSize);
});

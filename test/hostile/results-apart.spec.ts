/** Danger: memory of one account's image in another's result, also where no viewer shows it. */
import sharp from 'sharp';
import { decodeIndependently } from '../support/images';
import { ownService } from '../support/service';

const MAGENTA = { r: 200, g: 20, b: 120 };
const [WIDTH, HEIGHT, CODED_HEIGHT] = [1000, 1003, 1008];

const service = ownService({ WORKERS: '1' });

/** The grey JPEG with the rows that its last blocks hold below the picture. */
function withHiddenRows(jpeg: Buffer): Buffer {
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc2]));
  expect(jpeg.readUInt16BE(frame + 5)).toBe(HEIGHT);
  const whole = Buffer.from(jpeg);
  whole.writeUInt16BE(CODED_HEIGHT, frame + 5);
  return whole;
}

it('the hidden rows of a grey JPEG repeat its last row, whatever was compressed before', async () => {
  const [victim, other] = [await service.signUp(), await service.signUp()];
  const colour = sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: MAGENTA } });
  const noise = { type: 'gaussian' as const, mean: 90, sigma: 30 };
  const grey = sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: 'grey', noise } });
  const greyFile = await grey.toColourspace('b-w').jpeg({ quality: 95 }).toBuffer();
  const colourFile = await colour.jpeg({ quality: 97 }).toBuffer();
  for (let i = 0; i < 2; i++) await (await service.compress(colourFile, victim.apiKey)).arrayBuffer();
  const response = await service.compress(greyFile, other.apiKey);
  expect(response.status).toBe(200);
  const { data } = decodeIndependently(withHiddenRows(Buffer.from(await response.arrayBuffer())));
  const rowAt = (y: number) => Array.from({ length: WIDTH }, (_, x) => data[(y * WIDTH + x) * 4]);
  const last = rowAt(HEIGHT - 1);
  for (let y = HEIGHT; y < CODED_HEIGHT; y++) {
    const difference = rowAt(y).reduce((sum, value, x) => sum + Math.abs(value - last[x]), 0) / WIDTH;
    expect(difference).toBeLessThan(20);
  }
});

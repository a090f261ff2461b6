/** Danger: PNGs that decoders read differently. Each of these was found by `npm run fuzz -- recipe`. */
import { decodeIndependently } from '../support/images';
import { chunk, flatPng, header, smallWith } from '../support/png-bombs.cjs';
import { expectBytes, expectProblem } from '../support/responses';
import { ownServiceWithKey } from '../support/service';

describe.each(['native', 'squoosh'])('with the engine %s', (engine) => {
  const service = ownServiceWithKey({ WORKERS: '1', CODEC_ENGINE: engine });

  const expectRefused = (file: Uint8Array, words: string) =>
    expectProblem(service.send(file), 422, 'undecodable_image', words);

  it('refuses a second header, which could bypass the pixel limit', async () => {
    const picture = flatPng(64, 64);
    const file = Buffer.concat([picture.subarray(0, 33), header(60_000, 60_000), picture.subarray(33)]);
    // Not by the decoder, which may read the other header.
    await expectRefused(file, 'more than one header');
  });

  it('refuses an IEND with a damaged name, which is an unknown critical chunk', async () => {
    const file = flatPng(64, 64);
    file.write('\0END', file.length - 8, 'latin1');
    await expectRefused(file, 'unknown critical chunks');
  });

  it('corrects the checksum of IEND', async () => {
    const file = smallWith(chunk('tEXt', Buffer.alloc(500)));
    file.writeUInt32BE(7, file.length - 4);
    expect(decodeIndependently(await expectBytes(service.send(file)))).toMatchObject({ width: 16 });
  });

  it('adds a missing IEND', async () => {
    const file = smallWith(chunk('tEXt', Buffer.alloc(500)));
    const body = await expectBytes(service.send(file.subarray(0, -12)));
    expect(body.toString('latin1', body.length - 8, body.length - 4)).toBe('IEND');
    expect(decodeIndependently(body)).toMatchObject({ width: 16, height: 16 });
  });

  it('removes a gAMA chunk without a value', async () => {
    const file = smallWith(chunk('gAMA'), chunk('tEXt', Buffer.alloc(500)));
    const body = await expectBytes(service.send(file));
    expect(body.includes('gAMA')).toBe(false);
    expect(decodeIndependently(body)).toMatchObject({ width: 16, height: 16 });
  });
});

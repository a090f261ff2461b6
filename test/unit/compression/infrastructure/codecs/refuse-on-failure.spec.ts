import {
  refuseJpegOnFailure,
  refuseOnFailure,
} from '../../../../../src/compression/infrastructure/codecs/refuse-on-failure';

const failing = (message: string) => () => Promise.reject(new Error(message));

it.each([
  'vips__tracked_malloc: out of memory --- size == 1024MB',
  'VipsJpeg: Insufficient memory (case 4)',
  'Array buffer allocation failed',
  'Cannot allocate memory',
  'Aborted(Cannot enlarge memory arrays to size 2147483648 bytes (OOM))',
])('a codec without memory is not the fault of the image: %s', async (message) => {
  await expect(refuseOnFailure('PNG', failing(message))).rejects.toThrow(message);
  await expect(refuseJpegOnFailure(Buffer.of(0xff, 0xd8), failing(message))).rejects.toThrow(message);
});

it.each([
  'VipsJpeg: premature end of JPEG image',
  'Input buffer has corrupt header',
  'Invalid SOS parameters',
])('anything else that a codec throws is the fault of the image: %s', async (message) => {
  await expect(refuseOnFailure('PNG', failing(message))).rejects.toMatchObject({
    code: 'undecodable_image',
  });
});

/** Danger: animations that players disagree about. They are returned as they are, byte for byte, and nothing is guessed. */
import { animationChunks, chunkOf, fileOf, FOUR_FRAMES } from '../support/animations';
import { withEveryEngine } from '../file-kinds/engines';

const sound = () => animationChunks({ frames: FOUR_FRAMES, chunkBytes: 400 });
const typeOf = (chunk: Buffer) => chunk.toString('latin1', 4, 8);
const changed = (type: string, place: number, change: (data: Buffer) => Uint8Array) => {
  const chunks = sound();
  const at = chunks.flatMap((chunk, i) => (typeOf(chunk) === type ? [i] : []))[place];
  chunks[at] = chunkOf(type, change(Buffer.from(chunks[at].subarray(8, -4))));
  return chunks;
};
const without = (type: string) => {
  const chunks = sound();
  return chunks.filter(
    (chunk, i) => typeOf(chunk) !== type || chunks.findIndex((one) => typeOf(one) === type) !== i,
  );
};
const with32 = (at: number, value: number) => (data: Buffer) => {
  data.writeUInt32BE(value, at);
  return data;
};

withEveryEngine((compress) => {
  it.each<[string, () => Buffer[]]>([
    ['a sequence number twice', () => changed('fdAT', 1, with32(0, 2))],
    ['a gap in the sequence numbers', () => without('fdAT')],
    ['a frame to the right of the canvas', () => changed('fcTL', 1, with32(12, 61))],
    ['a frame below the canvas', () => changed('fcTL', 1, with32(16, 0xffff_ffff))],
    ['a frame without pixels', () => changed('fcTL', 1, with32(4, 0))],
    ['a frame whose data are of another size', () => changed('fcTL', 1, with32(4, 59))],
    ['a first frame that is smaller than the canvas', () => changed('fcTL', 0, with32(4, 119))],
    ['an unknown disposal', () => changed('fcTL', 2, (data) => data.fill(3, 24, 25))],
    ['more frames declared than there are', () => changed('acTL', 0, with32(0, 5))],
    ['no frames declared', () => changed('acTL', 0, with32(0, 0))],
    ['a control chunk that is too short', () => changed('fcTL', 1, (data) => data.subarray(0, 25))],
    ['a frame without data', () => animationChunks({ frames: FOUR_FRAMES }).filter((_, i) => i !== 5)],
    ['a truncated stream', () => changed('fdAT', 1, (data) => data.subarray(0, -30))],
    ['damaged data', () => changed('fdAT', 1, (data) => data.fill(0x55, 40, 60))],
    ['two control chunks of the animation', () => [...sound().slice(0, 2), ...sound().slice(1)]],
    [
      'the control chunk of the animation after the image',
      () => [
        ...sound()
          .filter((chunk) => typeOf(chunk) !== 'acTL')
          .slice(0, -1),
        sound()[1],
        chunkOf('IEND'),
      ],
    ],
    ['no frames at all', () => sound().filter((chunk) => !['fcTL', 'fdAT'].includes(typeOf(chunk)))],
  ])('%s', async (_, broken) => {
    const source = fileOf(broken());
    expect(source).not.toEqual(fileOf(sound()));
    const { bytes, report } = await compress(source, { MIN_SAVINGS_PERCENT: '0' });
    expect(report.skipReason).toBe('animated');
    expect(bytes).toBe(source);
  });

  it('a wrong checksum, also where decoders ignore it', async () => {
    const chunks = sound();
    for (const type of ['fcTL', 'fdAT', 'IDAT']) {
      const at = chunks.findIndex((chunk) => typeOf(chunk) === type);
      const damaged = Buffer.from(chunks[at]);
      damaged[damaged.length - 1] ^= 1;
      const source = fileOf(chunks.map((chunk, i) => (i === at ? damaged : chunk)));
      expect((await compress(source, { KEEP_METADATA: 'all' })).bytes).toBe(source);
    }
  });
});

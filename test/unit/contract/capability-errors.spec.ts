/** Errors of the capabilities are problems themselves: nothing translates them, and a worker process sends them whole. */
import {
  cannotCompare,
  largerThanOriginal,
  notAResult,
  otherShape,
  undecodableResult,
} from '../../../src/contract/comparison-problems';
import { asWorkerReply } from '../../../src/compression/infrastructure/process/worker-messages';
import {
  budgetUnreachable,
  cannotConvert,
  ImageRefused,
  lostTransparency,
  needsTooMuchMemory,
  notAnImage,
  REFUSAL_REASONS,
  damaged,
  tooManyChunks,
  tooManyPixels,
  tooManyPixelsToHold,
  undecodable,
  undecodableFeatures,
} from '../../../src/contract/image-problems';
import { Formats } from '../../../src/contract/formats';

const REFUSALS = [
  notAnImage(Buffer.from('GIF89a')),
  notAnImage(Buffer.alloc(0)),
  damaged('JPEG', 'it has no frame header'),
  undecodable('PNG'),
  undecodableFeatures('arithmetic coding'),
  tooManyChunks(),
  tooManyPixels({ width: 30_000, height: 30_000 }, 268e6),
  needsTooMuchMemory(300_000_000, 900_000_000),
  budgetUnreachable(50_000, 61_540),
  cannotConvert({ reason: 'conversion', words: 'no format is accepted' }),
  cannotConvert({ reason: 'animation', words: 'it is animated' }),
  cannotConvert({ reason: 'colours', words: 'no profile can describe its colours' }),
  cannotConvert({ reason: 'no-encoder', words: 'this service has no encoder for AVIF' }),
  cannotConvert({ reason: 'side-too-long', words: 'WebP holds at most 16383 px a side' }),
  cannotConvert(lostTransparency('JPG')),
  cannotConvert({ reason: 'nine-patch', words: 'it is an Android nine-patch' }),
  notAResult(Formats.builtIn, Buffer.from('GIF89a')),
  undecodableResult('WebP'),
  largerThanOriginal({ width: 8, height: 6 }, { width: 16, height: 12 }),
  otherShape({ width: 8, height: 6 }, { width: 8, height: 8 }),
  ...(['other-colours', 'frames', 'no-decoder'] as const).map(cannotCompare),
];

it('each reason of a refused image has a sentence', () => {
  expect(REFUSALS.map(({ reason }) => reason)).toEqual(REFUSAL_REASONS);
});

it.each(REFUSALS)('a worker sends "%s" whole', (refusal) => {
  const { reason, message, numbers } = refusal;
  const frame: unknown = JSON.parse(JSON.stringify({ kind: 'refused', reason, message, numbers }));
  const reply = asWorkerReply(frame);
  if (reply.kind !== 'refused') throw new Error(reply.kind);
  const received = new ImageRefused(reply.reason, reply.message, reply.numbers);
  expect(received.toBody('id')).toEqual(refusal.toBody('id'));
  expect(received.toBody('id')).toMatchObject({ reason });
  expect(received.message).toBe(message);
});

it.each([
  ...REFUSALS,
  tooManyPixelsToHold('progressive JPEG', 70e6, 60e6),
  tooManyPixelsToHold('interlaced PNG', 70e6, 60e6),
])('"%s" does not repeat its title, and has the right article', ({ title, detail }) => {
  expect(detail).not.toContain(title);
  expect(detail).not.toMatch(/\ba [aei]/);
});

it('only the HTTP API is told about its own options', () => {
  const { message, detail } = budgetUnreachable(50_000, 61_540);
  expect(message).toBe(
    'The smallest acceptable result has 61540 bytes, more than the 50000 that you asked for.',
  );
  expect(detail).toBe(`${message} Raise "max_bytes", or send "allow=any".`);
});

import { ShrinkController } from '../../../../src/tinify/http/tinify.controllers';
import { partOf } from '../../../support/part-of';

// Jest cannot load it with the globals of these tests.
jest.mock('express', () => ({ json: () => undefined }));

it('a store without room is 503 with a time to wait, and the image is not charged', async () => {
  const charge = jest.fn();
  const compression = { run: () => Promise.resolve({ bytes: Buffer.alloc(1), report: {} }), charge };
  const outputs = { keep: () => Promise.resolve(undefined) };
  const controller = new ShrinkController(partOf({}), partOf(compression), partOf(outputs), partOf({}));
  const caller = { accountId: 'a', keyId: 'k', isTrial: false };
  const shrunk = controller.shrink(partOf({ image: Buffer.alloc(1) }), caller, partOf({}), partOf({}));
  await expect(shrunk).rejects.toMatchObject({ code: 'overloaded', facts: { retryAfter: 5 } });
  expect(charge).not.toHaveBeenCalled();
});

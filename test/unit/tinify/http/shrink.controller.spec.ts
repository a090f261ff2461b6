import { ShrinkController } from '../../../../src/tinify/http/shrink.controller';

it('a store without room is 503 with a time to wait, and the image is not charged', async () => {
  const charge = jest.fn();
  const compression = { run: () => Promise.resolve({ bytes: Buffer.alloc(1), report: {} }), charge };
  const outputs = { keep: () => Promise.resolve(undefined) };
  const controller = new ShrinkController({} as never, compression as never, outputs as never, {} as never);
  const caller = { accountId: 'a', keyId: 'k', isTrial: false };
  const shrunk = controller.shrink({ image: Buffer.alloc(1) } as never, caller, {} as never, {} as never);
  await expect(shrunk).rejects.toMatchObject({ code: 'overloaded', facts: { retryAfter: 5 } });
  expect(charge).not.toHaveBeenCalled();
});

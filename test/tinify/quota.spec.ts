/** The quota of the month, as Tinify's clients meet it. */
import { photoJpeg } from '../support/images';
import { startService } from '../support/service';
import { expectError, locationOf, TinifyCaller } from '../support/tinify';

it('refuses uploads and commands above the quota at once, although the rate limit would make them wait', async () => {
  const limits = { RATE_LIMIT_PER_MINUTE: '1', QUOTA_IMAGES_PER_MONTH: '1' };
  const service = await startService({ TINIFY_API: 'on', ...limits });
  const caller = new TinifyCaller(service, (await service.signUp()).apiKey);
  const photo = await photoJpeg(64, 48);
  const made = await caller.shrink(photo);
  expect(made.headers.get('ratelimit-policy')).toMatch(/^"default";q=1;w=60, "month";q=1;w=\d+$/);
  for (const refused of [
    await caller.shrink(photo),
    await caller.command(locationOf(made), { preserve: ['copyright'] }),
  ]) {
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await expectError(refused, 429, 'TooManyRequests')).toMatch(
      /^This account may compress 1 image a month; its quota renews on 2\d{3}-\d\d-01 at 00:00 UTC\.$/,
    );
  }
  expect(await service.stop()).toBe(0);
});

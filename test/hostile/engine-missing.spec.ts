/** Danger: an engine that cannot start leaves a service that never responds, and a command line that never ends. */
import { join } from 'node:path';
import { graphicPng } from '../support/images';
import { Workplace } from '../support/command-line';
import { startService } from '../support/service';

const NODE_OPTIONS = `--require ${join(__dirname, '..', 'support', 'no-engine.cjs')}`;

it('the service does not start and logs the reason', async () => {
  await expect(startService({ NODE_OPTIONS })).rejects.toThrow(
    /Exit 1: .*The service cannot start\. The codec engine cannot start: libvips-cpp\.so/s,
  );
});

it('the command line exits with 1 and prints the reason', () => {
  const place = new Workplace();
  place.put('a.png', graphicPng(16, 16));
  const { status, stderr } = place.run(['compress', 'a.png', '-n'], { env: { NODE_OPTIONS } });
  expect(stderr).toMatch(/The codec engine cannot start: libvips-cpp\.so.*\.\n/);
  expect(stderr).not.toMatch(/at .*\.js:\d/);
  expect(status).toBe(1);
});

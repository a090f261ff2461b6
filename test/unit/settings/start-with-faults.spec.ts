import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

it('stops the start with exit code 2 and a clear message', () => {
  const main = join(__dirname, '..', '..', '..', 'dist', 'main.js');
  const env = { PATH: process.env['PATH'], PORT: '99999', WORKERS: 'two' };
  const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toMatch(/PORT=99999.*\n.*WORKERS=two/);
  expect(stderr).not.toMatch(/\.js:\d/);
});

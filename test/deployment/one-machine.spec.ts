/** The command of docs/deploying.md that fits nginx.conf to one machine without containers. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { config, hasPrograms, run, temporaryFolder } from './tools';

(hasPrograms('nginx') ? it : it.skip)('makes a valid configuration with one replica', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'nginx.conf');
  const page = readFileSync(join(config, '..', 'docs', 'deploying.md'), 'utf8');
  const [command = 'false'] = /^sed (?:.*\\\n)+.*nginx\.conf$/m.exec(page) ?? [];
  const here = command
    .replace('/etc/nginx/nginx.conf', file)
    .replace('/run/nginx.pid', join(folder, 'pid'))
    .replace('/var/log/nginx/access.log', join(folder, 'access.log'));
  expect(run('bash', '-c', here)).toMatchObject({ status: 0 });
  const made = readFileSync(file, 'utf8');
  expect(made).toMatch(/upstream replicas \{[^}]*server 127\.0\.0\.1:3000 [^}]*\}/);
  expect(made).not.toMatch(/server replica|stdout/);
  expect(run('nginx', '-t', '-c', file)).toMatchObject({ status: 0 });
});

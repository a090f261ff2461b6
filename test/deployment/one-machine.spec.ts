import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders';
import { hasPrograms } from '../support/services';
import { config, run } from './tools';

const page = readFileSync(join(config, '..', 'docs', 'deploying.md'), 'utf8');
const withNginx = hasPrograms('nginx') ? it : it.skip;

withNginx('the server block is valid beside other sites', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'nginx.conf');
  const [, block = ''] = /^```nginx\n(server \{[\s\S]*?)^```$/m.exec(page) ?? [];
  expect(block).toContain('proxy_pass http://127.0.0.1:3000;');
  const here = block.replace('listen 80;', 'listen 8080;');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const http = ['access_log off;', ...paths, here].join('\n');
  writeFileSync(file, `pid ${join(folder, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\n${http}}\n`);
  expect(run('nginx', '-t', '-c', file)).toMatchObject({ status: 0 });
});

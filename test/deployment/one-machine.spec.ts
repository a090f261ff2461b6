import { Folder, PROJECT } from '../support/folders';
import { hasPrograms } from '../support/services';
import { run } from './tools';

const page = PROJECT.text('docs/deploying.md');
const withNginx = hasPrograms('nginx') ? it : it.skip;

withNginx('the server block is valid beside other sites', () => {
  const place = new Folder();
  const [, block = ''] = /^```nginx\n(server \{[\s\S]*?)^```$/m.exec(page) ?? [];
  expect(block).toContain('proxy_pass http://127.0.0.1:3000;');
  const here = block.replace('listen 80;', 'listen 8080;');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${place.path(name)};`,
  );
  const http = ['access_log off;', ...paths, here].join('\n');
  place.put('nginx.conf', `pid ${place.path('pid')};\nerror_log stderr;\nevents {}\nhttp {\n${http}}\n`);
  expect(run('nginx', '-t', '-c', place.path('nginx.conf'))).toMatchObject({ status: 0 });
});

/** nginx with its WebDAV module: plain `PUT`. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from './app';

export const webdav: App = {
  needs: ['/usr/sbin/nginx'],
  guardOptions: ['--put'],
  install: (folder) => mkdirSync(join(folder, 'snapshot')),
  start(folder, port) {
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const server = `listen 127.0.0.1:${port}; root ${folder}/state; dav_methods PUT DELETE MKCOL COPY MOVE;`;
    const configuration = `daemon off; user root; pid ${folder}/pid; events {} http { access_log off;
      ${paths.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')} client_max_body_size 40m;
      types { image/jpeg jpg; image/png png; } server { ${server} create_full_put_path on; } }`;
    writeFileSync(join(folder, 'nginx.conf'), configuration);
    return spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'errors')], {
      stdio: 'ignore',
    });
  },
  async script(visitor, { photo, graphic }) {
    const put = async (path: string, type: string, bytes: Buffer) => {
      await visitor.ask('PUT', path, { 'content-type': type }, bytes);
      await visitor.get(path);
    };
    await put('/a/photo.jpg', 'image/jpeg', photo);
    await visitor.ask('HEAD', '/a/photo.jpg');
    await visitor.ask('GET', '/a/photo.jpg', { range: 'bytes=0-1' });
    await put('/a/graphic.png', 'image/png', graphic);
    await put('/a/photo.jpg', 'image/jpeg', photo);
    await put('/a/untyped.jpg', 'application/octet-stream', photo);
    await put('/a/notes.txt', 'text/plain', Buffer.from('Notes\r\n'));
    await visitor.ask('MKCOL', '/b/');
    await visitor.ask('MOVE', '/a/photo.jpg', { destination: '/b/moved.jpg' });
    await visitor.ask('COPY', '/b/moved.jpg', { destination: '/b/copied.jpg' });
    await visitor.get('/b/copied.jpg');
    await visitor.ask('PROPFIND', '/a/', { depth: '1' });
    await visitor.ask('DELETE', '/b/moved.jpg');
    await visitor.get('/b/moved.jpg');
  },
  smaller: ['/a/photo.jpg', '/a/graphic.png', '/a/photo.jpg'],
  untouched: /untyped/,
  varying: [],
};

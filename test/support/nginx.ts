import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../deployment/tools';
import { temporaryFolder } from './folders';

export type Proxy = Awaited<ReturnType<typeof startNginx>>;

/** Starts nginx in front of the given ports, with round robin. */
export async function startNginx(ports: readonly number[]) {
  const folder = temporaryFolder();
  const [port] = await freePorts(1);
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configuration(folder, port, ports));
  const child = spawn('nginx', ['-c', config, '-p', folder, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  for (let answered = false; !answered;) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${errors}`);
    answered = await fetch(`${url}/health/live`).then(
      () => true,
      () => false,
    );
  }
  return { url, stop: () => (child.kill('SIGTERM'), exited) };
}

function configuration(folder: string, port: number, ports: readonly number[]) {
  return `
    daemon off;
    pid ${join(folder, 'pid')};
    error_log stderr;
    events { worker_connections 512; }
    http {
      access_log off;
      client_body_temp_path ${join(folder, 'body')};
      proxy_temp_path ${join(folder, 'proxy')};
      fastcgi_temp_path ${join(folder, 'fastcgi')};
      uwsgi_temp_path ${join(folder, 'uwsgi')};
      scgi_temp_path ${join(folder, 'scgi')};
      client_max_body_size 21m;
      upstream replicas {
        ${ports.map((replica) => `server 127.0.0.1:${replica} max_fails=1 fail_timeout=5s;`).join('\n')}
        keepalive 16;
      }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://replicas;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header Host $http_host;
          proxy_read_timeout 60s;
          proxy_request_buffering off;
          proxy_max_temp_file_size 0;
          proxy_next_upstream error timeout;
        }
      }
    }`;
}

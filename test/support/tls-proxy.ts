import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { temporaryFolder } from './folders';
import { portOf } from './listening';

export type TlsProxy = Awaited<ReturnType<typeof startTlsProxy>>;

/** Tinify's plug-ins cannot be pointed at another host. */
const NAMES = ['localhost', 'api.tinify.com', 'api.tinypng.com'].map((name) => `DNS:${name}`).join(',');

/** Makes the authority and a certificate for NAMES with the openssl command. */
function makeCertificates() {
  const folder = temporaryFolder();
  const openssl = (command: string, ...values: string[]) =>
    execFileSync('openssl', [...command.split(' '), ...values], { cwd: folder, stdio: 'pipe' });
  const ecKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  openssl(`req -x509 -days 1 ${ecKey} -keyout ca.key -out ca.pem -subj`, '/CN=Authority of one test');
  openssl(`req ${ecKey} -keyout leaf.key -out leaf.csr -subj /CN=localhost -addext subjectAltName=${NAMES}`);
  openssl(
    'x509 -req -days 1 -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -copy_extensions copy -out leaf.pem',
  );
  const read = (name: string) => readFileSync(join(folder, name));
  return { key: read('leaf.key'), cert: read('leaf.pem'), authority: read('ca.pem').toString() };
}

export async function startTlsProxy(servicePort: number) {
  const { authority, ...certificate } = makeCertificates();
  const server = createServer(certificate, (req, res) => {
    const { method, url: path } = req;
    const headers = { ...req.headers, 'x-forwarded-proto': 'https', 'x-forwarded-host': req.headers.host };
    const onward = request({ host: '127.0.0.1', port: servicePort, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  return {
    url: `https://localhost:${await portOf(server)}`,
    authority,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

/** Keeps `npm run test:unit` fast: a test that starts a process or a server fails. */
const childProcess = require('node:child_process');
const { Server } = require('node:net');

function refuse() {
  throw new Error(
    'npm run test:unit starts no processes and no servers; list the file in its script in package.json.',
  );
}

for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
  Object.assign(childProcess, { [name]: refuse });
}
Server.prototype.listen = refuse;

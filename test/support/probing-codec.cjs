/**
 * A format of results whose encoder is hostile: it tries to get out of its worker, and returns the names of the attempts that
 * succeeded. The pixels hold the targets as JSON, a byte in each sample that is not alpha.
 */
const { spawnSync } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const dgram = require('node:dgram');
const fs = require('node:fs');
const net = require('node:net');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');

const PROGRAMS = [
  'sh',
  'env',
  'cat',
  'bwrap',
  'setpriv',
  'unshare',
  'mount',
  'python3',
  'perl',
  'git',
  'npm',
];
const FOLDERS = [
  '/',
  '/app',
  '/bin',
  '/dev',
  '/dev/shm',
  '/etc',
  '/lib',
  '/modules',
  '/proc',
  '/run',
  '/usr',
  '/var/tmp',
];
const MEGABYTE = Buffer.alloc(1024 * 1024, 1);
/** The smallest program for Linux on x64: it exits with 7. */
const PROGRAM = Buffer.from(
  'f0VMRgIBAQAAAAAAAAAAAAIAPgABAAAAeABAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAEAAOAABAAAAAAAAAAEAAAAFAAAAAAAA' +
    'AAAAAAAAAEAAAAAAAAAAQAAAAAAAhAAAAAAAAACEAAAAAAAAAAAQAAAAAAAAuDwAAAC/BwAAAA8F',
  'base64',
);

const does = (attempt) => {
  try {
    return Boolean(attempt());
  } catch {
    return false;
  }
};
const reads = (path) => does(() => fs.closeSync(fs.openSync(path, 'r')) ?? true);
const writesInto = (folder) =>
  does(() => {
    const file = join(folder, `probe-${randomBytes(8).toString('hex')}`);
    fs.writeFileSync(file, 'probe');
    fs.rmSync(file);
    return true;
  });
const starts = (program, ...args) =>
  does(() => spawnSync(program, args, { timeout: 10_000 }).error === undefined);
const others = () =>
  fs.readdirSync('/proc').filter((name) => Number(name) > 0 && Number(name) !== process.pid);
const connects = (target) =>
  new Promise((resolve) => {
    const socket = net.connect(target);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
const sends = (port) =>
  new Promise((resolve) => {
    const socket = dgram.createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.send('probe', port, '127.0.0.1', () => socket.close());
    // The receiver decides whether it has arrived.
    socket.once('close', () => resolve(false));
  });
/** Writes a file into the folder for temporary files and uses it. */
const inTemporaryFile = (name, bytes, use) =>
  does(() => {
    const file = join(tmpdir(), `probe-${name}`);
    try {
      fs.writeFileSync(file, bytes, { mode: 0o700 });
      return use(file);
    } finally {
      fs.rmSync(file, { force: true });
    }
  });
const fills = (megabytes) =>
  inTemporaryFile('fill', '', (file) => {
    const fd = fs.openSync(file, 'w');
    try {
      for (let i = 0; i < megabytes; i++) fs.writeSync(fd, MEGABYTE);
    } finally {
      fs.closeSync(fd);
    }
    return true;
  });
/** Writes through descriptors of regular files that it inherited; those up to 4 are its channel, its log and its heartbeat. */
const writesToInherited = () =>
  Array.from({ length: 64 }, (_, i) => i + 5).some((fd) =>
    does(() => fs.fstatSync(fd).isFile() && fs.writeSync(fd, Buffer.alloc(8), 0, 8, 0) === 8),
  );

const PROBES = {
  'connect to the service on 127.0.0.1': ({ port }) => connects({ host: '127.0.0.1', port }),
  'connect to the database on 127.0.0.1': ({ databasePort }) =>
    connects({ host: '127.0.0.1', port: databasePort }),
  'connect to the socket of a database': ({ databaseSocket }) => connects({ path: databaseSocket }),
  'send a datagram': ({ datagramPort }) => sends(datagramPort),
  'read the database': ({ database }) => reads(database),
  'read /etc/passwd': () => reads('/etc/passwd'),
  'read the file of a secret': ({ secret }) => reads(secret),
  'list the home': ({ home }) => does(() => fs.readdirSync(home)),
  'see other processes': () => does(() => others().length > 0),
  'read the environment of another process': ({ pid }) =>
    [pid, ...(does(others) ? others() : [])].some((one) =>
      does(() => fs.readFileSync(`/proc/${one}/environ`).length),
    ),
  'open the memory of another process': ({ pid }) =>
    [pid, ...(does(others) ? others() : [])].some((one) => reads(`/proc/${one}/mem`)),
  'write outside of tmp': ({ database, home }) =>
    [...FOLDERS, home, process.cwd(), __dirname, dirname(process.execPath), dirname(database)].some(
      writesInto,
    ),
  'overwrite Node.js or its own code': () =>
    [process.execPath, __filename, process.argv[1]].some((file) =>
      does(() => fs.closeSync(fs.openSync(file, 'r+')) ?? true),
    ),
  'write through an inherited descriptor': writesToInherited,
  'start a program': () =>
    PROGRAMS.some(
      (program) => starts(program) || starts(join('/bin', program)) || starts(join('/usr/bin', program)),
    ),
  'start a program of its own': () => inTemporaryFile('program', PROGRAM, (file) => starts(file)),
  'load native code of its own': () => {
    const addon = Object.keys(require.cache).find((file) => file.endsWith('.node'));
    return inTemporaryFile(
      'code.node',
      fs.readFileSync(addon),
      (file) => process.dlopen({ exports: {} }, file) ?? true,
    );
  },
  'signal the service': ({ pid }) => does(() => process.kill(pid, 0)),
  'fill tmp': () => fills(64),
};

let pixels;

async function encodeLosslessly(given) {
  pixels = given;
  const { channels, data } = given;
  const targets = JSON.parse(
    Buffer.from(data.filter((_, i) => channels === 3 || i % channels < 3)).toString(),
  );
  const succeeded = [];
  for (const [name, probe] of Object.entries(PROBES)) {
    if (await probe(targets)) succeeded.push(name);
  }
  return Buffer.from(JSON.stringify({ attempts: Object.keys(PROBES), succeeded, environment: process.env }));
}

exports.format = {
  encodeLosslessly,
  decode: () => Promise.resolve(pixels),
};

/** An encoder that tries to escape its worker; the pixels hold the targets as JSON. Returns what succeeded. */
const { spawnSync } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const dgram = require('node:dgram');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const { tmpdir } = os;
const { dirname, join } = require('node:path');

const PROGRAMS = 'sh env cat bwrap setpriv unshare mount python3 perl git npm'.split(' ');
const FOLDERS = '/ /app /bin /dev /dev/shm /etc /lib /modules /proc /run /usr /var/tmp'.split(' ');
/** Numbers of system calls; the newer ones are the same everywhere. */
const NUMBERS = Object.fromEntries(
  [
    ['add_key', 248, 217],
    ['clone', 56, 220],
    ['memfd_create', 319, 279],
    ['perf_event_open', 298, 241],
    ['prlimit64', 302, 261],
    ['shmat', 30, 196],
    ['socket', 41, 198],
    ['userfaultfd', 323, 282],
  ].map(([name, x64, arm64]) => [name, { x64, arm64 }[process.arch]]),
);
const IO_URING_SETUP = 425;
const PIDFD_OPEN = 434;
const PIDFD_GETFD = 438;
const CLONE_NEWUSER = 0x10000000;
const SIGCHLD = 17;
const RLIMIT_NOFILE = 7;
const EPERM = 1;
const AF_UNIX = 1;
const AF_ALG = 38;
const AF_VSOCK = 40;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
const MEGABYTE = Buffer.alloc(1024 * 1024, 1);
/** The smallest program for Linux on x64: it exits with 7. */
const PROGRAM = Buffer.from(
  'f0VMRgIBAQAAAAAAAAAAAAIAPgABAAAAeABAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAEAAOAABAAAAAAAAAAEAAAAFAAAAAAAA' +
    'AAAAAAAAAEAAAAAAAAAAQAAAAAAAhAAAAAAAAACEAAAAAAAAAAAQAAAAAAAAuDwAAAC/BwAAAA8F',
  'base64',
);

/** Whether an attempt succeeds: it does not throw, and returns nothing or something true. */
const does = (attempt) => {
  try {
    return Boolean(attempt() ?? true);
  } catch {
    return false;
  }
};
const call = require('./system-call.node');
const calls = (name, ...args) => call(typeof name === 'string' ? NUMBERS[name] : name, ...args) >= 0;
const text = (value) => Buffer.from(`${value}\0`);
const reads = (path) => does(() => fs.closeSync(fs.openSync(path, 'r')));
const writesInto = (folder) =>
  does(() => {
    const file = join(folder, `probe-${randomBytes(8).toString('hex')}`);
    fs.writeFileSync(file, 'probe');
    fs.rmSync(file);
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
/** `struct perf_event_attr` of its first version, for this process outside of the kernel. */
const softwareClock = () => {
  const attributes = Buffer.alloc(64);
  attributes.writeUInt32LE(1, 0);
  attributes.writeUInt32LE(64, 4);
  // exclude_kernel and exclude_hv
  attributes.writeUInt32LE(0x60, 40);
  return attributes;
};
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
  });
/** Changes regular files that are open; a log may be one. Those up to 4 are its channel, its log and its heartbeat. */
const writesToInherited = () =>
  Array.from({ length: 1024 }, (_, fd) => fd).some((fd) =>
    does(() => fs.fstatSync(fd).isFile() && fs.ftruncateSync(fd, fs.fstatSync(fd).size) === undefined),
  );
const readsInherited = () =>
  Array.from({ length: 1024 }, (_, fd) => fd).some((fd) =>
    does(() => fs.fstatSync(fd).isFile() && fs.readSync(fd, Buffer.alloc(8), 0, 8, 0) > 0 && !isOwnTime(fd)),
  );
const isOwnTime = (fd) => fd === Number(process.env.ICS_SUSPENDED_TIME_FD);

const PROBES = {
  'connect to the service on 127.0.0.1': ({ port }) => connects({ host: '127.0.0.1', port }),
  'connect to the database on 127.0.0.1': ({ databasePort }) =>
    connects({ host: '127.0.0.1', port: databasePort }),
  'connect to the socket of a database': ({ databaseSocket }) => connects({ path: databaseSocket }),
  'connect to an abstract socket': ({ abstractSocket }) => connects({ path: `\0${abstractSocket}` }),
  'send a datagram': ({ datagramPort }) => sends(datagramPort),
  'make a socket': () => calls('socket', AF_UNIX, SOCK_STREAM, 0),
  // A kernel may lack them, but only a filter answers EPERM.
  'reach the hypervisor': () => call(NUMBERS.socket, AF_VSOCK, SOCK_STREAM, 0) !== -EPERM,
  "use the kernel's cryptography": () => call(NUMBERS.socket, AF_ALG, SOCK_SEQPACKET, 0) !== -EPERM,
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
  'read files through another process': ({ pid, secret }) =>
    [1, pid, 'self', 'thread-self'].some((one) => reads(`/proc/${one}/root/${secret}`)),
  'watch the database': ({ database }) =>
    does(() =>
      fs
        .watch(database)
        .on('error', () => undefined)
        .close(),
    ),
  'change the mode or the times of the database': ({ database }) =>
    does(() => fs.chmodSync(database, 0o600)) || does(() => fs.utimesSync(database, new Date(), new Date())),
  'write outside of tmp': ({ database, home }) =>
    [...FOLDERS, home, process.cwd(), __dirname, dirname(process.execPath), dirname(database)].some(
      writesInto,
    ),
  'overwrite Node.js or its own code': () =>
    [process.execPath, __filename, process.argv[1]].some((file) =>
      does(() => fs.closeSync(fs.openSync(file, 'r+'))),
    ),
  'write through an inherited descriptor': writesToInherited,
  'read through an inherited descriptor': readsInherited,
  'start a program': () =>
    PROGRAMS.some(
      (program) => starts(program) || starts(join('/bin', program)) || starts(join('/usr/bin', program)),
    ),
  'start a program of its own': () => inTemporaryFile('program', PROGRAM, (file) => starts(file)),
  'hold a program in memory': () => calls('memfd_create', text('probe'), 0),
  'make a process': () => calls('clone', SIGCHLD),
  'make a user namespace': () => calls('clone', CLONE_NEWUSER | SIGCHLD),
  'load native code of its own': () => {
    const addon = Object.keys(require.cache).find((file) => file.endsWith('.node'));
    return inTemporaryFile('code.node', fs.readFileSync(addon), (file) =>
      process.dlopen({ exports: {} }, file),
    );
  },
  'signal the service': ({ pid }) => does(() => process.kill(pid, 0)),
  'change the priority of the service': ({ pid }) => does(() => os.setPriority(pid, os.getPriority(pid))),
  'read the limits of the service': ({ pid }) => calls('prlimit64', pid, RLIMIT_NOFILE, 0, Buffer.alloc(16)),
  'take a descriptor of the service': ({ pid }) => calls(PIDFD_GETFD, call(PIDFD_OPEN, pid, 0), 0, 0),
  'attach the shared memory of another process': ({ sharedMemory }) => calls('shmat', sharedMemory, 0, 0),
  'use io_uring': () => calls(IO_URING_SETUP, 1, Buffer.alloc(120)),
  'use userfaultfd': () => calls('userfaultfd', 1),
  'use perf events': () => calls('perf_event_open', softwareClock(), 0, -1, -1, 0),
  'use keys of the kernel': () => calls('add_key', text('user'), text('probe'), text('probe'), 5, -2),
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

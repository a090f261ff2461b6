import { systemCallFilter } from '../../../../../src/compression/infrastructure/sandbox/system-call-filter';

const ALLOWED = 0x7fff0000;
const EPERM = 0x50001;
const ENOSYS = 0x50026;
const KILLED = 0x80000000;
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Runs a filter as the kernel does. Returns its verdict about a system call. */
function verdict(program: Buffer, audit: number, number: number, ...args: readonly number[]) {
  const memory = new Map([[0, number], [4, audit], ...args.map((arg, i) => [16 + 8 * i, arg] as const)]);
  let value = 0;
  for (let at = 0; ; at += 8) {
    const [code, ifTrue, ifFalse] = [program.readUInt16LE(at), program[at + 2], program[at + 3]];
    const operand = program.readUInt32LE(at + 4);
    if (code === 0x06) return operand;
    if (code === 0x20) value = memory.get(operand) ?? 0;
    else {
      const holds =
        code === 0x15 ? value === operand : code === 0x35 ? value >= operand : (value & operand) !== 0;
      at += 8 * (holds ? ifTrue : ifFalse);
    }
  }
}

const CALLS = {
  x64: {
    read: 0,
    socket: 41,
    socketpair: 53,
    kill: 62,
    chmod: 90,
    ptrace: 101,
    clone: 56,
    prlimit: 302,
    ioctl: 16,
    fcntl: 72,
  },
  arm64: {
    read: 63,
    socket: 198,
    socketpair: 199,
    kill: 129,
    chmod: 53,
    ptrace: 117,
    clone: 220,
    prlimit: 261,
    ioctl: 29,
    fcntl: 25,
  },
};

describe.each(['x64', 'arm64'] as const)('on %s', (architecture) => {
  const calls = CALLS[architecture];
  const audit = AUDIT[architecture];
  const filters = {
    bubblewrap: systemCallFilter(architecture, 'bubblewrap'),
    landlock: systemCallFilter(architecture, 'landlock'),
  };

  it.each(['bubblewrap', 'landlock'] as const)(
    '%s: threads, but no processes, no io_uring and no sockets',
    (scope) => {
      const of = (number: number, ...args: number[]) => verdict(filters[scope], audit, number, ...args);
      expect(of(calls.read)).toBe(ALLOWED);
      expect(of(calls.clone, 0x3d0f00)).toBe(ALLOWED);
      expect(of(calls.clone, 0x10000011)).toBe(EPERM);
      // The C library then calls clone.
      expect(of(435)).toBe(ENOSYS);
      expect([calls.ptrace, 425].map((number) => of(number))).toEqual([EPERM, EPERM]);
      const sockets = [calls.socket, calls.socketpair];
      const AF_ALG = 38;
      expect(sockets.map((number) => of(number, AF_ALG))).toEqual([EPERM, EPERM]);
      expect(of(calls.read + 0x40000000)).toBe(EPERM);
      expect(verdict(filters[scope], 0x40000003, calls.read)).toBe(KILLED);
    },
  );

  it('denies with Landlock what namespaces prevent in bubblewrap', () => {
    const outside = [calls.kill, calls.chmod];
    const of = (scope: 'bubblewrap' | 'landlock', ...call: readonly [number, ...number[]]) =>
      verdict(filters[scope], audit, ...call);
    expect(outside.map((number) => of('landlock', number))).toEqual([EPERM, EPERM]);
    expect(outside.map((number) => of('bubblewrap', number))).toEqual([ALLOWED, ALLOWED]);
    expect([of('landlock', calls.prlimit, 0), of('landlock', calls.prlimit, 7)]).toEqual([ALLOWED, EPERM]);
    // Typing into a terminal, and choosing the process that signals go to.
    for (const request of [0x5412, 0x541c, 0x8901, 0x8902])
      expect(of('landlock', calls.ioctl, 2, request)).toBe(EPERM);
    expect(of('landlock', calls.ioctl, 2, 0x5401)).toBe(ALLOWED);
    expect([8, 10, 15].map((command) => of('landlock', calls.fcntl, 2, command))).toEqual([
      EPERM,
      EPERM,
      EPERM,
    ]);
    expect([3, 4, 1030].map((command) => of('landlock', calls.fcntl, 2, command))).toEqual(
      Array(3).fill(ALLOWED),
    );
  });
});

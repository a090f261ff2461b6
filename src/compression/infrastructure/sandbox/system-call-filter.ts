/**
 * A seccomp filter for workers, as a program for the kernel's packet filter (BPF). A denied call fails with EPERM.
 *
 * - KERNEL: what no codec needs and attacks use. `io_uring` opens sockets and files without a system call of their
 *   own. No namespace contains sockets to the hypervisor (AF_VSOCK) and to the kernel's cryptography (AF_ALG).
 * - OUTSIDE: what namespaces prevent and Landlock does not cover: signals, and changes of attributes.
 *
 * The build writes the filters into dist/, because bubblewrap and `setpriv` read them from files.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The numbers on x64 and arm64, from the kernel's asm/unistd_64.h and asm-generic/unistd.h. */
type SystemCalls = Readonly<Record<string, readonly [x64: number, arm64?: number]>>;

// prettier-ignore
const KERNEL: SystemCalls = {
  io_uring_setup: [425, 425], io_uring_enter: [426, 426], io_uring_register: [427, 427], bpf: [321, 280],
  perf_event_open: [298, 241], userfaultfd: [323, 282], add_key: [248, 217], request_key: [249, 218],
  keyctl: [250, 219], unshare: [272, 97], setns: [308, 268], personality: [135, 92], mount: [165, 40],
  umount2: [166, 39], pivot_root: [155, 41], chroot: [161, 51], open_tree: [428, 428],
  move_mount: [429, 429], fsopen: [430, 430], fsconfig: [431, 431], fsmount: [432, 432], fspick: [433, 433],
  mount_setattr: [442, 442], name_to_handle_at: [303, 264], open_by_handle_at: [304, 265],
  ptrace: [101, 117], kcmp: [312, 272], process_vm_readv: [310, 270], process_vm_writev: [311, 271],
  fork: [57], vfork: [58], execveat: [322, 281],
  // A program in memory is in no file system that is mounted read-only.
  memfd_create: [319, 279], memfd_secret: [447, 447],
  // One end of a pair could send to any Unix socket.
  socket: [41, 198], socketpair: [53, 199],
};

// prettier-ignore
const OUTSIDE: SystemCalls = {
  kill: [62, 129], tkill: [200, 130], tgkill: [234, 131], rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240], pidfd_send_signal: [424, 424], pidfd_open: [434, 434],
  pidfd_getfd: [438, 438], process_madvise: [440, 440], process_mrelease: [448, 448],
  setpriority: [141, 140], ioprio_set: [251, 30], migrate_pages: [256, 238], move_pages: [279, 239],
  sched_setaffinity: [203, 122], sched_setscheduler: [144, 119], sched_setparam: [142, 118],
  sched_setattr: [314, 274], shmget: [29, 194], shmat: [30, 196], shmctl: [31, 195], msgget: [68, 186],
  msgsnd: [69, 189], msgrcv: [70, 188], msgctl: [71, 187], semget: [64, 190], semop: [65, 193],
  semtimedop: [220, 192], semctl: [66, 191], mq_open: [240, 180], mq_unlink: [241, 181], chmod: [90],
  fchmod: [91, 52], fchmodat: [268, 53], fchmodat2: [452, 452], chown: [92], fchown: [93, 55], lchown: [94],
  fchownat: [260, 54], setxattr: [188, 5], lsetxattr: [189, 6], fsetxattr: [190, 7], setxattrat: [463, 463],
  removexattr: [197, 14], lremovexattr: [198, 15], fremovexattr: [199, 16], removexattrat: [466, 466],
  utime: [132], utimes: [235], futimesat: [261], utimensat: [280, 88], inotify_init: [253],
  inotify_init1: [294, 26], fanotify_init: [300, 262],
};

/** AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64, and further numbers of this architecture. */
const ARCHITECTURES = {
  x64: { column: 0, audit: 0xc000003e, clone: 56, ioctl: 16, fcntl: 72, prlimit: 302 },
  arm64: { column: 1, audit: 0xc00000b7, clone: 220, ioctl: 29, fcntl: 25, prlimit: 261 },
} as const;
/** Numbers from here on are the x32 interface of x64, which has the same calls. */
const X32 = 0x40000000;
/** The number of clone3. Its flags are in memory, which a filter cannot read; without it, the C library calls clone. */
const CLONE3 = 435;
const CLONE_THREAD = 0x10000;
/** ioctl: TIOCSTI and TIOCLINUX type into a terminal, FIOSETOWN and SIOCSPGRP choose a process for signals. */
const IOCTLS = [0x5412, 0x541c, 0x8901, 0x8902];
/** Commands of fcntl that choose the process that signals go to, and the signal: F_SETOWN, F_SETSIG, F_SETOWN_EX. */
const FCNTLS = [8, 10, 15];

/** In `struct seccomp_data`, in bytes; the lower half of the first argument is at ARGUMENTS. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const ARGUMENTS = 16;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
/** Errors of Linux; the build may run elsewhere. */
const EPERM = 1;
const ENOSYS = 38;
const failWith = (error: number) => 0x50000 + error;
const DENY = failWith(EPERM);

/** `struct sock_filter`: an operation, the instructions to skip if it is true or false, and an operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const give = (result: number): Instruction => [0x06, 0, 0, result];
const IS = 0x15;
const IS_AT_LEAST = 0x35;
const HAS_BITS = 0x45;

/** Returns this result for a number; otherwise goes on. */
const rule = (number: number, result: number): Instruction[] => [[IS, 0, 1, number], give(result)];
/** Denies a number unless its first argument passes the test. */
const denyUnless = (number: number, test: number, operand: number): Instruction[] => [
  [IS, 0, 4, number],
  load(ARGUMENTS),
  [test, 0, 1, operand],
  give(ALLOW),
  give(DENY),
];

/** Denies a number if its second argument is one of these. */
const denyIf = (number: number, operands: readonly number[]): Instruction[] => [
  [IS, 0, operands.length + 3, number],
  load(ARGUMENTS + 8),
  ...operands.map((operand, i): Instruction => [IS, operands.length - i, 0, operand]),
  give(ALLOW),
  give(DENY),
];

type Architecture = keyof typeof ARCHITECTURES;
type Scope = 'bubblewrap' | 'landlock';

const FOLDER = join(
  __dirname,
  ...['..', '..', '..', '..', 'dist', 'compression', 'infrastructure', 'sandbox'],
);

/** Returns the file of the filter for this machine; undefined on other processors, where the sandbox is weaker. */
export function filterFile(scope: Scope): string | undefined {
  return process.arch in ARCHITECTURES ? join(FOLDER, `${scope}-${process.arch}.bpf`) : undefined;
}

/** @public scripts/build.mjs calls it */
export function writeFilters(folder: string): void {
  for (const scope of ['bubblewrap', 'landlock'] as const)
    for (const architecture of Object.keys(ARCHITECTURES) as Architecture[])
      writeFileSync(join(folder, `${scope}-${architecture}.bpf`), systemCallFilter(architecture, scope));
}

/** Returns the filter as the kernel reads it. bubblewrap gets KERNEL alone: its namespaces prevent the rest. */
export function systemCallFilter(architecture: Architecture, scope: Scope): Buffer {
  const { column, audit, clone, ioctl, fcntl, prlimit } = ARCHITECTURES[architecture];
  const denied = Object.values(scope === 'landlock' ? { ...KERNEL, ...OUTSIDE } : KERNEL).flatMap(
    (numbers) => numbers[column] ?? [],
  );
  return assembled([
    load(ARCHITECTURE),
    [IS, 1, 0, audit],
    give(KILL),
    load(NUMBER),
    [IS_AT_LEAST, 0, 1, X32],
    give(DENY),
    ...denied.flatMap((number) => rule(number, DENY)),
    ...rule(CLONE3, failWith(ENOSYS)),
    ...denyUnless(clone, HAS_BITS, CLONE_THREAD),
    ...(scope === 'landlock'
      ? [...denyUnless(prlimit, IS, 0), ...denyIf(ioctl, IOCTLS), ...denyIf(fcntl, FCNTLS)]
      : []),
    give(ALLOW),
  ]);
}

function assembled(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [i, [code, ifTrue, ifFalse, operand]] of program.entries()) {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(ifTrue, i * 8 + 2);
    bytes.writeUInt8(ifFalse, i * 8 + 3);
    bytes.writeUInt32LE(operand, i * 8 + 4);
  }
  return bytes;
}

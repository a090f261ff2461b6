/** `ics guard`: a reverse proxy in front of an app that makes the images of its uploads smaller. It runs until a signal stops it. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { MOST_DIMENSION_PX } from '../../compression/domain/compression-policy';
import { compressingWith } from '../../compression/infrastructure/process/spawn-worker';
import { WorkerPool } from '../../compression/infrastructure/process/worker-pool';
import { Counts, createMetricsServer } from '../../guard/counts';
import { HeldBodies } from '../../guard/held-bodies';
import { ImageUploads, type UploadRecord } from '../../guard/image-uploads';
import { createProxy } from '../../guard/proxy';
import { GUARD_HELP } from '../help';
import { startPool } from '../images/workers';
import {
  addRecipeOptions,
  byteSize,
  count,
  megapixels,
  port,
  seconds,
  settingsWith,
  type ImageSettings,
  type SettingOptions,
} from '../options';
import { CliFailure, serveUnread } from '../outcome';
import { printableJson } from '../report/printable';

interface Address {
  readonly host: string;
  readonly port: number;
}

interface Options extends SettingOptions {
  readonly to: Address;
  readonly listen: Address;
  readonly path?: readonly string[];
  readonly put?: boolean;
  readonly trustProxy?: boolean;
  readonly dryRun?: boolean;
  readonly wait: number;
  readonly maxUpload: number;
  readonly memory: number;
  readonly held: number;
  readonly maxMegapixels: number;
  readonly upstreamTimeout: number;
  readonly metricsPort?: number;
}

const LOOPBACK = '127.0.0.1';
const DRAINING_MS = 30_000;
/** A log that nobody reads takes no more memory than this, and no more time at the end. */
const UNREAD_LOG = { bytes: 1024 * 1024, ms: 2_000 };
/** Slower than any phone network that people would wait for. */
const SLOW = { bytes: 64 * 1024, ms: 10_000 };

export function addGuardCommand(program: Command): void {
  const command = program
    .command('guard')
    .description('stand in front of an app and make the images of its uploads smaller')
    .requiredOption('--to <url>', 'the app, such as http://127.0.0.1:8080', upstreamAddress)
    .addOption(
      new Option('--listen <address>', 'host and port to listen on')
        .argParser(listenAddress)
        .default({ host: LOOPBACK, port: 3001 }, `${LOOPBACK}:3001`),
    )
    .option(
      '--path <path...>',
      'only uploads to these paths; one that ends in / stands for all below it',
      pathsOf,
    )
    .option(
      '--put',
      'also images that are sent with PUT, as WebDAV does; not for clients that compare sizes afterwards',
    )
    .option('--trust-proxy', 'believe X-Forwarded-* of the client: another proxy is in front')
    .option('--dry-run', 'compress and log, but send the originals')
    .option('--wait <seconds>', 'longest wait for the images of an upload, from its last byte', seconds, 10)
    .addOption(
      new Option('--max-upload <size>', 'larger uploads pass as they are')
        .argParser(byteSize)
        .default(64e6, '64MB'),
    )
    .addOption(
      new Option('--memory <size>', 'for uploads in progress; above, they pass as they are')
        .argParser(byteSize)
        .default(256e6, '256MB'),
    )
    .option('--held <n>', 'uploads in progress; above, they pass as they are', count, 32)
    .option('--max-megapixels <n>', 'larger images pass as they are', megapixels, 50)
    .option('--upstream-timeout <seconds>', 'longest wait for the app; above: 504', seconds, 300)
    .option(
      '--sandbox <mode>',
      'keep workers from files and the network: auto, required or off (default: auto)',
    )
    .option('--metrics-port <port>', 'serve /metrics and /health on this port of 127.0.0.1', port);
  addRecipeOptions(command);
  command.addHelpText('after', GUARD_HELP).action(guard);
}

async function guard(options: Options) {
  serveUnread();
  const { to, wait, maxUpload: maxBytes, memory: memoryBytes, held: maxHeld } = options;
  const sandbox = options['sandbox'] ?? process.env['WORKER_SANDBOX'] ?? 'auto';
  const settings = settingsWith({ ...options, sandbox });
  const pool = startable(settings);
  await startPool(pool);
  const counts = new Counts();
  const held = new HeldBodies({ maxBytes, memoryBytes, maxHeld, slow: SLOW });
  const record = (upload: UploadRecord) => {
    counts.add(upload);
    log(upload);
  };
  const trustsProxy = options.trustProxy === true;
  const rules = {
    paths: options.path ?? [],
    takesPut: options.put === true,
    trustsProxy,
    waitMs: wait * 1000,
    formats: settings.knownFormats,
    isDryRun: options.dryRun === true,
    policy: {
      ...settings.policy,
      formats: ['same'],
      keepMetadata: 'all',
      maxDimensionPx: MOST_DIMENSION_PX,
      maxPixels: options.maxMegapixels * 1e6,
    },
  } as const;
  const uploads = new ImageUploads(rules, held, pool, record);
  const { server, drain } = createProxy({
    to,
    trustsProxy,
    upstreamTimeoutMs: options.upstreamTimeout * 1000,
    takeBody: (req, res) => uploads.take(req, res),
  });
  const metrics = createMetricsServer(counts, held, pool);
  try {
    const { metricsPort } = options;
    const counted =
      metricsPort === undefined ? undefined : await listen(metrics, { host: LOOPBACK, port: metricsPort });
    const address = await listen(server, options.listen);
    if (await isAddressOf(server, to))
      throw new CliFailure('--to is the address of the guard itself. Name the address of the app.');
    log({
      listening: address,
      to: `http://${to.host}:${to.port}`,
      metrics: counted,
      protection: pool.state().protection,
    });
    process.on('SIGUSR2', () => log(counts.totals()));
    await stopSignal();
    await drain(DRAINING_MS);
    log(counts.totals());
  } finally {
    metrics.close();
    metrics.closeAllConnections();
    pool.stop();
    setTimeout(() => process.exit(), UNREAD_LOG.ms).unref();
  }
}

function startable(settings: ImageSettings) {
  return new WorkerPool({
    ...compressingWith(settings),
    isShared: true,
    // --held and --memory bound it.
    queueLimit: Infinity,
    onSandbox: ({ summary }) => process.stderr.write(`${summary}\n`),
    onNotice: (notice) => process.stderr.write(`${notice}\n`),
    onWorkerLost: (cause) => log({ workerLost: cause }),
  });
}

/** One JSON object a line, for the log of whatever runs the guard. */
function log(line: object) {
  if (process.stdout.writableLength > UNREAD_LOG.bytes) return;
  process.stdout.write(`${printableJson({ time: new Date().toISOString(), ...line })}\n`);
}

/** @throws CliFailure when the address cannot be had */
async function listen(server: Server, { host, port: wanted }: Address): Promise<string> {
  try {
    await once(server.listen(wanted, host), 'listening');
  } catch (error) {
    throw new CliFailure(`Cannot listen on ${host}:${wanted}: ${(error as Error).message}.`);
  }
  const { address, port: found } = server.address() as AddressInfo;
  return `http://${address.includes(':') ? `[${address}]` : address}:${found}`;
}

/** Whether connections to an address arrive at the server: each request would come back, without end. */
async function isAddressOf(server: Server, { host, port: wanted }: Address) {
  const { address, port: own } = server.address() as AddressInfo;
  const found = await lookup(host, { all: true }).catch(() => []);
  const local = Object.values(networkInterfaces()).flatMap((all = []) => all.map((one) => one.address));
  const reached = /^(0\.0\.0\.0|::)$/.test(address) ? [address, '0.0.0.0', ...local] : [address];
  return wanted === own && found.some((one) => reached.includes(one.address));
}

/** Resolves at the first signal; the second ends the process at once. */
async function stopSignal() {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const first = new AbortController();
  await Promise.race(signals.map((name) => once(process, name, { signal: first.signal })));
  // Otherwise a second signal of another name would be ignored.
  first.abort();
}

function pathsOf(path: string, others: readonly string[] = []): readonly string[] {
  if (!/^\/[^?#*]*$/.test(path))
    throw new InvalidArgumentError(
      'It must be a path such as /upload, without a query or a *; one that ends in / stands for all below it.',
    );
  return [...others, path];
}

function upstreamAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || url.href !== `http://${url.host}/`)
    throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:8080, without a path.');
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) };
}

function listenAddress(text: string): Address {
  const found = /^(?:\[?([^\s\]]+?)\]?:)?(\d+)$/.exec(text);
  if (!found) throw new InvalidArgumentError('It must be an address such as 127.0.0.1:3001.');
  const [, host = LOOPBACK, digits] = found;
  return { host, port: port(digits) };
}

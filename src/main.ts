/** Start, serve, stop. */
import { createHttpServer } from './http-server';
import { createLogger } from './operations/logging';
import { Lifecycle } from './operations/lifecycle';
import { startTracing } from './operations/observability/tracing';
import { welcome } from './operations/welcome';
import { readSettings, SettingsFault } from './settings/settings';

/** What an orderly close may take once nothing is in flight. */
const LINGER_MS = 3_000;

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = createLogger(settings.logLevel);
  const stopTracing = await startTracing(process.env);
  const app = await createHttpServer(settings, logger);
  await app.listen(settings.port, settings.host);
  const url = await app.getUrl();
  logger.info({ url, workers: settings.pool.workers }, 'listening');
  process.stderr.write(welcome(Number(new URL(url).port || 80), settings));

  let isStopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal }, 'stopping: finishing what was accepted');
    const lifecycle = app.get(Lifecycle);
    // A person at the keyboard has no proxy that has to notice.
    if (signal === 'SIGTERM') await lifecycle.announceStop(settings.shutdownGraceMs);
    await lifecycle.drain(settings.shutdownTimeoutMs);
    // Connections without a request would hold up the end: preconnects, half-sent heads.
    setTimeout(() => process.exit(), LINGER_MS).unref();
    const closed = app.close();
    app.getHttpServer().closeAllConnections();
    await closed;
    await stopTracing?.().catch(() => undefined);
    logger.info('stopped');
    process.exit();
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
}

// The last line of defence: a fault that nobody caught is a bug. What else is being worked at gets its chance.
process.stderr.on('error', () => undefined);
process.on('uncaughtException', (error) => {
  process.stderr.write(`Uncaught: ${error.stack ?? String(error)}\n`);
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
});

main().catch((error: unknown) => {
  process.stderr.write(`The service cannot start. ${explain(error)}\n`);
  process.exit(1);
});

function explain(error: unknown): string {
  if (error instanceof SettingsFault) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return `Something else listens on port ${process.env['PORT'] ?? 3000}: set PORT to another one.`;
    case 'EACCES':
      return `Not allowed: ${message}`;
    default:
      return error instanceof Error ? message || String(error.stack) : String(error);
  }
}

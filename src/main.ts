/** The entry point of the service: starts it, and stops it on SIGTERM or SIGINT. */
import { AccountsService } from './accounts/application/accounts.service';
import { OPERATOR } from './accounts/domain/account';
import { AppModule } from './app.module';
import { forgetSecrets } from './environment/secrets';
import { Lifecycle } from './http/requests';
import { createHttpServer } from './http/server';
import { createLogger } from './observability/logging';
import { Metrics } from './observability/metrics';
import { startTelemetry } from './observability/telemetry';
import { SettingsFault } from './environment/settings-slice';
import { misspeltSettings, readServiceSettings, type Settings } from './settings/settings';
import { welcome } from './welcome';

/** Longest time to close everything once no request is in flight. */
const CLOSE_TIMEOUT_MS = 3_000;
const LOOPBACK = '127.0.0.1';
/** As for the command line: the settings are wrong, so trying again does not help. */
const EXIT_SETTINGS = 2;

async function main() {
  const settings = readServiceSettings(process.env);
  const telemetry = await startTelemetry(process.env);
  const logger = createLogger(settings.observability.logLevel, telemetry.log);
  for (const { variable, rule } of misspeltSettings(process.env)) logger.warn(`${variable} ${rule}`);
  forgetSecrets();
  const { http, compression } = settings;
  const { workers, deadlineMs } = compression.pool;
  const app = await createHttpServer(AppModule.with(settings, logger), http, deadlineMs, logger);
  telemetry.sendMetrics(app.get(Metrics).registry);
  const accounts = app.get(AccountsService);
  const isFirstStart = isReadByOperator(settings) && (await accounts.isEmpty());
  const isOperators = isFirstStart || (await belongsToOperator(settings, accounts));
  const host = isOperators && !process.env['HOST'] ? LOOPBACK : http.host;
  await app.listen(http.port, host);
  // Not before: on a taken port the start fails, and nobody would see the key.
  const created = isFirstStart ? await accounts.signUpOperator() : undefined;
  const operator = isOperators ? { key: created?.apiKey } : undefined;
  const url = await app.getUrl();
  logger.info({ url, host, workers }, 'listening');
  if (process.stderr.isTTY)
    process.stderr.write(welcome(Number(new URL(url).port || 80), settings, operator));

  let isStopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal }, 'stopping: finishing requests in flight');
    const lifecycle = app.get(Lifecycle);
    // SIGINT comes from a terminal, where no proxy needs time to notice.
    if (signal === 'SIGTERM') await lifecycle.announceStop(http.shutdownGraceMs);
    await lifecycle.drain(http.shutdownTimeoutMs);
    // Connections without a complete request, such as preconnects, would delay the exit.
    setTimeout(() => process.exit(), CLOSE_TIMEOUT_MS).unref();
    app.getHttpServer().close().closeAllConnections();
    // What requests give back when they are cut is written before the database is closed.
    await lifecycle.drain(CLOSE_TIMEOUT_MS);
    await app.close();
    logger.info('stopped');
    await telemetry.stop();
    process.exit();
  };
  // SIGHUP reads API_KEYS_FILE again.
  const signals = ['SIGTERM', 'SIGINT', ...(settings.accounts.apiKeysFile === undefined ? ['SIGHUP'] : [])];
  for (const signal of signals) process.on(signal, () => void stop(signal));
}

/** Whether a person reads this start, on a machine of their own: a key may be printed where no log collects it. */
function isReadByOperator({ accounts }: Settings) {
  return (
    accounts.needsKey &&
    process.stdout.isTTY &&
    process.stderr.isTTY &&
    accounts.databaseUrl.startsWith('sqlite:') &&
    process.env['NODE_ENV'] !== 'production'
  );
}

/** Whether the database has the account of a first start: only this machine is to reach the service, unless HOST says otherwise. */
async function belongsToOperator({ accounts }: Settings, store: AccountsService) {
  return accounts.databaseUrl.startsWith('sqlite:') && (await store.find(OPERATOR)) !== undefined;
}

// An uncaught exception is a bug. The process finishes its requests in flight and exits with 1.
process.stderr.on('error', () => undefined);
process.on('uncaughtException', (error) => {
  process.stderr.write(`Uncaught: ${error.stack ?? String(error)}\n`);
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
});

main().catch((error: unknown) => {
  process.stderr.write(`The service cannot start. ${explain(error)}\n`);
  process.exit(error instanceof SettingsFault ? EXIT_SETTINGS : 1);
});

function explain(error: unknown) {
  if (error instanceof SettingsFault) return error.message;
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use: ${adviceOn(port)}`;
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
      return `HOST is no address of this machine (${message}). Set it to one, or to 0.0.0.0 or :: for all.`;
    case 'EACCES':
      return `Permission denied: ${message}`;
    default:
      return error instanceof Error ? message || String(error.stack) : String(error);
  }
}

function adviceOn(takenPort: number | undefined): string {
  const { PORT, METRICS_PORT } = process.env;
  if (Number(METRICS_PORT) !== takenPort) return 'set PORT, or --port of ics serve, to another one.';
  return Number(PORT || 3000) === takenPort
    ? 'PORT and METRICS_PORT are the same. Set one of them to another port.'
    : 'set METRICS_PORT to another one.';
}

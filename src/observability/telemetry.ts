/**
 * OpenTelemetry: traces, metrics and logs, sent over OTLP to OTEL_EXPORTER_OTLP_ENDPOINT if that is set. A signal can have an endpoint of
 * its own (OTEL_EXPORTER_OTLP_METRICS_ENDPOINT), and OTEL_METRICS_EXPORTER=none turns one off. The SDK also reads its other variables
 * (OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS, ...).
 */
import type { Registry } from 'prom-client';
import { SERVICE_NAME, startTracing } from './tracing';

type Environment = Readonly<Record<string, string | undefined>>;

/** Its functions do nothing for signals that are not sent. */
export interface Telemetry {
  /** Sends a line of the log, which is JSON. */
  readonly log: (line: string) => void;
  /** Begins to send the metrics. */
  readonly sendMetrics: (registry: Registry) => void;
  /** Sends what remains, and stops. */
  readonly stop: () => Promise<void>;
}

/** Call it before any module loads `http`: modules loaded earlier are not traced. */
export async function startTelemetry(env: Environment): Promise<Telemetry> {
  const isSent = (signal: 'TRACES' | 'METRICS' | 'LOGS') =>
    Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]) &&
    env[`OTEL_${signal}_EXPORTER`] !== 'none';
  const [traces, metrics, logs] = [isSent('TRACES'), isSent('METRICS'), isSent('LOGS')];
  if (!traces && !metrics && !logs) {
    return { log: () => undefined, sendMetrics: () => undefined, stop: () => Promise.resolve() };
  }
  // Loaded on demand: the SDK is large, and most deployments do not use it.
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');
  const named = resourceFromAttributes({ 'service.name': SERVICE_NAME });
  const resource = named.merge(detectResources({ detectors: [envDetector] }));
  const tracing = traces ? await startTracing(resource) : undefined;
  const sentMetrics = metrics
    ? (await import('./sent-metrics.js')).sentMetrics(resource, env['OTEL_METRIC_EXPORT_INTERVAL'])
    : undefined;
  const sentLogs = logs ? (await import('./sent-logs.js')).sentLogs(resource) : undefined;
  return {
    log: (line) => sentLogs?.log(line),
    sendMetrics: (registry) => sentMetrics?.start(registry),
    stop: async () => {
      // A collector that is away must not hide what the others are told.
      await Promise.allSettled([tracing?.stop(), sentMetrics?.stop(), sentLogs?.stop()]);
    },
  };
}

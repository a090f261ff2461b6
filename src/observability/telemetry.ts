/** OTLP as the SDK's variables say. Each request has a span, with a child for the queue and one for each stage. */
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import { SERVICE_NAME } from '../environment/version';
import type { HiddenKeys } from './hidden-keys';
import { shortened } from './logging';

/** Its functions do nothing for signals that are not sent. */
export interface Telemetry {
  /** Sends a line of the log, which is JSON. */
  readonly log: (line: string) => void;
  readonly sendMetrics: (registry: Registry) => void;
  readonly stop: () => Promise<void>;
}

export async function startTelemetry(env: Readonly<Record<string, string | undefined>>): Promise<Telemetry> {
  const isSent = (signal: 'TRACES' | 'METRICS' | 'LOGS') =>
    Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`]) &&
    env[`OTEL_${signal}_EXPORTER`] !== 'none';
  const [traces, metrics, logs] = [isSent('TRACES'), isSent('METRICS'), isSent('LOGS')];
  if (!traces && !metrics && !logs) {
    return { log: () => undefined, sendMetrics: () => undefined, stop: () => Promise.resolve() };
  }
  // Loaded on demand: the SDK is large, and most deployments do not use it.
  const { sentLogs, sentMetrics, sentTraces, serviceResource } = await import('./sent-signals.js');
  const resource = serviceResource();
  const tracing = traces ? sentTraces(resource) : undefined;
  const measuring = metrics ? sentMetrics(resource, env['OTEL_METRIC_EXPORT_INTERVAL']) : undefined;
  const logging = logs ? sentLogs(resource) : undefined;
  return {
    log: (line) => logging?.log(line),
    sendMetrics: (registry) => measuring?.start(registry),
    stop: async () => {
      // A failing collector must not keep the other signals from being sent.
      await Promise.allSettled([tracing?.stop(), measuring?.stop(), logging?.stop()]);
    },
  };
}

/**
 * Returns middleware that runs a request in a span, a child of the client's (W3C trace context). Its attributes name no client and hold no
 * query, which may contain secrets.
 */
export const traceRequests =
  (keys: HiddenKeys): RequestHandler =>
  (req, res, next) => {
    if (req.path.startsWith('/health/')) return next();
    const { traceparent, tracestate } = req.headers;
    const isSafe = !keys.areIn(String(tracestate));
    const parent = propagation.extract(context.active(), { traceparent, ...(isSafe && { tracestate }) });
    const attributes = { 'http.method': req.method, 'url.path': shortened(keys.hideIn(req.path)) };
    const tracer = trace.getTracer(SERVICE_NAME);
    const span = tracer.startSpan(req.method, { kind: SpanKind.SERVER, attributes }, parent);
    res.once('close', () => {
      span.setAttribute('http.status_code', res.statusCode);
      if (res.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    const traced = trace.setSpan(parent, span);
    // The log line of the request is written when its response closes.
    context.bind(traced, res);
    context.with(traced, next);
  };

/** @param stages duration in milliseconds by stage, in order; the last one ends now */
export function traceStages(stages: Readonly<Record<string, number>>): void {
  const tracer = trace.getTracer(SERVICE_NAME);
  let start = Date.now() - Object.values(stages).reduce((sum, ms) => sum + ms, 0);
  for (const [name, ms] of Object.entries(stages)) {
    const span = tracer.startSpan(name, { startTime: start });
    start += ms;
    span.end(start);
  }
}

/** Adds attributes to the request's span. */
export function traceRequest(attributes: Readonly<Record<string, string | number>>): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

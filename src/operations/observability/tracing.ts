/**
 * OpenTelemetry traces, when OTEL_EXPORTER_OTLP_ENDPOINT says where to send them: one span a request (with the caller's
 * trace context, W3C), inside it one for the queue and one for each stage of the recipe. Everything else that the SDK
 * reads from the environment (OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS, ...) works too.
 */
import { trace } from '@opentelemetry/api';
import type { RunResult } from '../../compression/application/compression-runner.port';

const NAME = 'image-compression-service';

/** @returns how to send what is left and stop; undefined when no traces are wanted */
export async function startTracing(
  env: Readonly<Record<string, string | undefined>>,
): Promise<(() => Promise<void>) | undefined> {
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) return undefined;
  // Loaded only here: the SDK is large, and most deployments have no use for it.
  const { NodeTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');
  const named = resourceFromAttributes({ 'service.name': NAME });
  const provider = new NodeTracerProvider({
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const http = new HttpInstrumentation({
    disableOutgoingRequestInstrumentation: true,
    ignoreIncomingRequestHook: ({ url = '' }) => url.startsWith('/health/') || url.startsWith('/metrics'),
  });
  http.setTracerProvider(provider);
  return () => provider.shutdown();
}

/** What happened in the worker, as spans under the request's; they were one after the other, and end now. */
export function traceStages({ report, queueMs }: Pick<RunResult, 'report' | 'queueMs'>): void {
  const tracer = trace.getTracer(NAME);
  const stages = Object.entries({ queue: queueMs, ...report.timings });
  let start = Date.now() - stages.reduce((sum, [, ms]) => sum + ms, 0);
  for (const [name, ms] of stages) {
    const span = tracer.startSpan(name, { startTime: start });
    start += ms;
    span.end(start);
  }
  trace.getActiveSpan()?.setAttributes({
    'image.format': report.format,
    'image.size': report.originalSize,
    'image.compressed_size': report.compressedSize,
  });
}

/**
 * OpenTelemetry traces, exported to OTEL_EXPORTER_OTLP_ENDPOINT if that is set. Each request has a span, a child of the client's
 * (W3C trace context), with one child for the queue and one for each stage of the recipe. The SDK also reads its other variables
 * (OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER, OTEL_EXPORTER_OTLP_HEADERS, ...).
 */
import { trace } from '@opentelemetry/api';
import { SpanRedactor } from './span-redactor';

const NAME = 'image-compression-service';

/**
 * Starts tracing. Call it before any module loads `http`: modules loaded earlier are not traced.
 * @returns a function that exports the remaining spans and stops; undefined if no endpoint is set
 */
export async function startTracing(
  env: Readonly<Record<string, string | undefined>>,
): Promise<(() => Promise<void>) | undefined> {
  if (!env['OTEL_EXPORTER_OTLP_ENDPOINT'] && !env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']) return undefined;
  // Loaded on demand: the SDK is large, and most deployments do not use it.
  const { NodeTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');
  const named = resourceFromAttributes({ 'service.name': NAME });
  const provider = new NodeTracerProvider({
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new SpanRedactor(), new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const http = new HttpInstrumentation({
    disableOutgoingRequestInstrumentation: true,
    ignoreIncomingRequestHook: ({ url = '' }) => url.startsWith('/health/') || url.startsWith('/metrics'),
  });
  http.setTracerProvider(provider);
  return () => provider.shutdown();
}

/**
 * Adds child spans to the request's span for consecutive stages, the last of which ends now.
 * @param stages duration in milliseconds by stage name, in order
 * @param attributes set on the span of the request
 */
export function traceStages(
  stages: Readonly<Record<string, number>>,
  attributes: Readonly<Record<string, string | number>>,
): void {
  const tracer = trace.getTracer(NAME);
  let start = Date.now() - Object.values(stages).reduce((sum, ms) => sum + ms, 0);
  for (const [name, ms] of Object.entries(stages)) {
    const span = tracer.startSpan(name, { startTime: start });
    start += ms;
    span.end(start);
  }
  trace.getActiveSpan()?.setAttributes(attributes);
}

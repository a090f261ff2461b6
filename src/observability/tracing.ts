/**
 * Traces. Each request has a span, a child of the client's (W3C trace context), with one child for the queue and one for each stage
 * of the recipe. A set has them for each finished file; an image that fails has the queue and the worker.
 */
import { trace } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-node';
import { holdsKey, withoutKeys } from './hidden-keys';

/** The name of the service, and of the scope of its signals. */
export const SERVICE_NAME = 'image-compression-service';

/** Call it before any module loads `http`. */
export async function startTracing(resource: Resource) {
  const { NodeTracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace-node');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new SpanRedactor(), new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const http = new HttpInstrumentation({
    disableOutgoingRequestInstrumentation: true,
    ignoreIncomingRequestHook: ({ url = '' }) => url.startsWith('/health/') || url.startsWith('/metrics'),
  });
  http.setTracerProvider(provider);
  return { stop: () => provider.shutdown() };
}

type Attributes = Readonly<Record<string, string | number>>;

/**
 * Adds child spans to the request's span for consecutive stages, the last of which ends now.
 * @param stages duration in milliseconds by stage name, in order
 * @param attributes set on each of them
 */
export function traceStages(stages: Readonly<Record<string, number>>, attributes: Attributes = {}): void {
  const tracer = trace.getTracer(SERVICE_NAME);
  let start = Date.now() - Object.values(stages).reduce((sum, ms) => sum + ms, 0);
  for (const [name, ms] of Object.entries(stages)) {
    const span = tracer.startSpan(name, { startTime: start, attributes });
    start += ms;
    span.end(start);
  }
}

/** Adds attributes to the request's span. Only those that SpanRedactor knows are sent. */
export function traceRequest(attributes: Attributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

/**
 * The exported attributes. All others are removed, as in the log: client addresses, user agents, and query strings, which may
 * contain secrets. Keys are hidden in paths and in the client's trace state.
 */
const EXPORTED_ATTRIBUTES =
  /^(image\..+|error\.type|http\.(method|route|scheme|flavor|status_code|status_text|request\.method|response\.status_code)|url\.(path|scheme)|network\.protocol\.version)$/;

/** Removes all other attributes when a span ends. Register it before the processor that exports spans. */
class SpanRedactor implements SpanProcessor {
  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    const { attributes } = span;
    const context = span.spanContext();
    if (holdsKey(context.traceState?.serialize() ?? '')) Reflect.deleteProperty(context, 'traceState');
    const target = attributes['url.path'] ?? attributes['http.target'];
    if (typeof target === 'string') attributes['url.path'] = withoutKeys(target.split('?', 1)[0]);
    for (const name of Object.keys(attributes)) {
      if (!EXPORTED_ATTRIBUTES.test(name)) Reflect.deleteProperty(attributes, name);
    }
  }

  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-node';
import { holdsKey, withoutKeys } from './hidden-keys';

/**
 * The exported attributes. All others are removed, as in the log: client addresses, user agents, and query strings, which may
 * contain secrets. Keys are hidden in paths and in the client's trace state.
 */
const EXPORTED_ATTRIBUTES =
  /^(image\..+|error\.type|http\.(method|route|scheme|flavor|status_code|status_text|request\.method|response\.status_code)|url\.(path|scheme)|network\.protocol\.version)$/;

/** Removes all other attributes when a span ends. Register it before the processor that exports spans. */
export class SpanRedactor implements SpanProcessor {
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

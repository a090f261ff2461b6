import type { Application } from 'express';

/** The part of Express 5's router that tells which routes exist; stable public behaviour, untyped there. */
interface RouterLayer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** The methods that some route answers at this path, upper case; empty when none does. */
export function allowedMethods(app: Application, path: string): string[] {
  const layers = (app as unknown as { router: { stack: RouterLayer[] } }).router.stack;
  const methods = new Set<string>();
  for (const layer of layers) {
    if (!layer.route || !layer.match(path)) continue;
    for (const [method, isHandled] of Object.entries(layer.route.methods)) {
      if (isHandled) methods.add(method.toUpperCase());
    }
  }
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

import type { Application } from 'express';

/** A layer of Express 5's router. Its behaviour is public and stable, but Express has no types for it. */
interface RouterLayer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/** Returns the methods that the routes of this path support, upper case and sorted; empty if no route matches. */
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

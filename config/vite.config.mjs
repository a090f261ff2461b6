/** Builds the page at `/`. The folder to write to is given by scripts/prepare.mjs. */
import { join } from 'node:path';
import { defineConfig } from 'vite';

export default defineConfig({
  root: join(import.meta.dirname, '..', 'src', 'web', 'page'),
  build: {
    target: ['chrome111', 'firefox115', 'safari16.4'],
    emptyOutDir: true,
    // The policy of the page allows no inline code, style or image.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});

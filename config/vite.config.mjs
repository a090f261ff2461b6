/** Builds the pages at `/` and `/docs`. Their folders are given by scripts/build.mjs. */
import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    target: ['chrome111', 'firefox115', 'safari16.4'],
    emptyOutDir: true,
    // The policy of the page allows no inline code, style or image.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Swagger UI has 1.5 MB.
    chunkSizeWarningLimit: 2_000,
    // Vite would report how long its styles take on a busy machine.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});

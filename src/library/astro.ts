/** An integration for Astro: compresses the images of its output, and none that Astro or an image service may still encode from. */
/// <reference types="node" preserve="true" />
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite' with { 'resolution-mode': 'import' };
import { SERVICE_NAME } from '../environment/version';
import { identify } from '../files/whole-file';
import { BuildImages, checkBuildOptions, findImages, type BuildOptions } from './build-images';
import { bundleHooks } from './bundle-hooks';

export type AstroIntegrationOptions = BuildOptions;

/** Astro is no dependency, so what is used of its types is declared here. */
interface AstroConfig {
  readonly root: URL;
  readonly srcDir: URL;
  readonly publicDir: URL;
  readonly cacheDir: URL;
  readonly image: { readonly service: { readonly entrypoint: string } };
}
interface Logger {
  info(text: string): void;
  warn(text: string): void;
}
interface Route {
  readonly isPrerendered: boolean;
}
/** An integration for Astro 5 or newer. */
export interface AstroIntegration {
  name: string;
  hooks: {
    'astro:config:setup'(options: { command: string; updateConfig: (config: object) => unknown }): void;
    'astro:config:done'(options: { config: AstroConfig }): void;
    'astro:routes:resolved'(options: { routes: readonly Route[] }): void;
    'astro:build:done'(options: { dir: URL; logger: Logger }): Promise<void>;
  };
}

/** Astro's own services. Sharp encodes in the build, and in the routes of a server; all others may do so wherever the site is served. */
const SHARP = 'astro/assets/services/sharp';
const NONE = 'astro/assets/services/noop';

/**
 * Returns an integration that compresses the images of a build as they are delivered. A hash that Astro puts into the name of an image
 * follows its result; images of `public` and of other servers keep their names. An image that cannot be compressed stays as it was, with
 * a warning.
 * @throws InvalidOptionError
 * @example
 * const { name } = imageCompression({ quality: 'medium' });
 * console.log(name); // 'image-compression-service'
 */
export function imageCompression(options: AstroIntegrationOptions = {}): AstroIntegration {
  const checked = checkBuildOptions(options);
  let config: AstroConfig;
  let images: BuildImages;
  let answersOnDemand = false;
  /** What pages and styles import. Astro encodes from these; the names of its encodes start with theirs. */
  const imported = new Set<string>();

  const naming: Plugin = {
    name: `${SERVICE_NAME}-names`,
    ...bundleHooks(() => images),
    generateBundle(_, bundle) {
      for (const name of Object.keys(bundle)) imported.add(name);
    },
  };
  return {
    name: SERVICE_NAME,
    hooks: {
      'astro:config:setup'({ command, updateConfig }) {
        if (command === 'build') updateConfig({ vite: { plugins: [naming] } });
      },
      'astro:config:done'(done) {
        config = done.config;
        images = new BuildImages(fileURLToPath(config.root), fileURLToPath(config.cacheDir), checked);
      },
      'astro:routes:resolved'({ routes }) {
        answersOnDemand = routes.some(({ isPrerendered }) => !isPrerendered);
      },
      async 'astro:build:done'({ dir, logger }) {
        const warn = (text: string) => logger.warn(text);
        const [folder, publicDir, srcDir] = [dir, config.publicDir, config.srcDir].map((url) =>
          fileURLToPath(url),
        );
        const [found, copied, own] = await Promise.all([folder, publicDir, srcDir].map(findImages));
        const { entrypoint } = config.image.service;
        const isOther = ![SHARP, NONE].includes(entrypoint);
        const encodesImported = isOther || (entrypoint === SHARP && answersOnDemand);
        const needed = new Set([...(encodesImported ? imported : []), ...(isOther ? copied : [])]);
        const names = found.filter((name) => !needed.has(name));
        if (names.length < found.length)
          warn(
            `Left as they are, because ${entrypoint} may encode from them later: ${found.length - names.length} of ${found.length} images.`,
          );
        const originals = [
          ...copied.map((name) => join(publicDir, name)),
          ...own.map((name) => join(srcDir, name)),
        ];
        await images.replaceIn(folder, names, await identify(originals), warn);
        const table = images.takeTable();
        if (table) logger.info(table);
      },
    },
  };
}

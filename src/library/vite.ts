/** A plug-in for Vite: compresses the images of a build where they are written, and never an original of `public` or of the sources. */
/// <reference types="node" preserve="true" />
import { join, relative, resolve } from 'node:path';
import type { Plugin, ResolvedConfig } from 'vite' with { 'resolution-mode': 'import' };
import { SERVICE_NAME } from '../environment/version';
import { identify, isAmong } from '../files/whole-file';
import {
  BuildImages,
  checkBuildOptions,
  findImages,
  inLanes,
  isImage,
  ORIGINAL,
  readBytes,
  type BuildOptions,
} from './build-images';
import { bundleHooks } from './bundle-hooks';

export type VitePluginOptions = BuildOptions;

const IN_ASTRO = `Astro encodes from the images that the Vite plug-in compresses, so it stands aside. Use the integration instead: integrations: [imageCompression()], from '${SERVICE_NAME}/astro'.`;

/**
 * Returns a plug-in for builds. A hash in the name of an image follows its result; one that cannot be compressed stays as it was, with
 * a warning.
 * @throws InvalidOptionError
 * @example
 * const { name, apply } = imageCompression({ quality: 'medium' });
 * console.log(`${name}: ${apply}`); // 'image-compression-service: build'
 */
export function imageCompression(options: VitePluginOptions = {}): Plugin {
  const checked = checkBuildOptions(options);
  let config: ResolvedConfig;
  /** Undefined in Astro. */
  let images: BuildImages | undefined;
  let hasWarned = false;

  return {
    name: SERVICE_NAME,
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
      if (config.plugins.some(({ name }) => name.startsWith('astro:'))) {
        if (!hasWarned) config.logger.warn(IN_ASTRO);
        hasWarned = true;
      } else images = new BuildImages(config.root, config.cacheDir, checked);
    },
    ...bundleHooks(() => images),
    generateBundle: {
      order: 'post',
      async handler({ dir }, bundle) {
        const { build, root } = config;
        const warn = (text: string) => this.warn(text);
        await inLanes(Object.values(bundle), async (file) => {
          if (!images || file.type !== 'asset') return;
          if (file.fileName.endsWith('.html'))
            file.source = await images.withInlined(String(file.source), file.fileName, warn);
          if (!isImage(file.fileName)) return;
          // Absent in the first releases of Vite 5.
          const { originalFileNames = [] } = file as Partial<typeof file>;
          const sources = await identify(originalFileNames.map((name) => resolve(root, name)));
          const output = resolve(root, dir ?? build.outDir, file.fileName);
          if (await isAmong(sources, output)) {
            warn(`${relative(root, output)} stays as it is: ${ORIGINAL}`);
            return;
          }
          const bytes = Buffer.from(file.source as Uint8Array);
          const result = await images.compressed(file.fileName, bytes, warn);
          if (result) file.source = result;
        });
      },
    },
    async writeBundle({ dir }) {
      const { publicDir, build, root } = config;
      if (!images || !publicDir) return;
      const folder = resolve(root, dir ?? build.outDir);
      if (await isAmong(await identify([publicDir]), folder)) {
        this.warn(
          `${relative(root, folder)} stays as it is: outDir is publicDir, so its images are the originals, not copies.`,
        );
        return;
      }
      const names = await findImages(publicDir);
      const sources = await identify(names.map((name) => join(publicDir, name)));
      // Other files of the name are not of this build. Only one of several builds has a copy of the folder.
      const isCopy = async (name: string, bytes: Buffer) =>
        build.copyPublicDir && (await readBytes(join(publicDir, name)))?.equals(bytes) === true;
      await images.replaceIn(folder, names, sources, (text) => this.warn(text), isCopy);
    },
    closeBundle() {
      const table = images?.takeTable();
      if (table) config.logger.info(`${SERVICE_NAME}: ${table}`);
    },
  };
}

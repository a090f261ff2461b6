/** The hooks of Vite that its plug-in and the integration for Astro have in common. */
import type { Plugin } from 'vite' with { 'resolution-mode': 'import' };
import { isImage, knownFormats, type BuildImages } from './build-images';

const STYLE = /\.(css|less|s[ac]ss|styl|stylus|p(ost)?css|sss)($|\?)/;
const RAW = /[?&]raw\b/;

/** Names follow results, and inlined images are compressed. @param find returns undefined where all stays as it is */
export function bundleHooks(
  find: () => BuildImages | undefined,
): Required<Pick<Plugin, 'outputOptions' | 'transform'>> {
  return {
    // Caches may keep a name with a hash forever: other options or another version give other bytes, and another name.
    outputOptions({ assetFileNames = 'assets/[name]-[hash][extname]', ...output }) {
      const images = find();
      if (!images) return null;
      return {
        ...output,
        assetFileNames: (asset) => {
          const pattern = typeof assetFileNames === 'function' ? assetFileNames(asset) : assetFileNames;
          const bytes = Buffer.from(asset.source as Uint8Array);
          if (knownFormats.ofUpload(bytes) === undefined) return pattern;
          const digest = images.digestOf(bytes);
          return pattern.replace(/\[hash(?::(\d+))?\]/g, (_, length = 8) => digest.slice(0, Number(length)));
        },
      };
    },
    async transform(code, id) {
      const [path] = id.split('?');
      const images = find();
      // `?raw` imports the text itself.
      if (!images || RAW.test(id) || (!isImage(path) && !STYLE.test(id))) return null;
      const made = await images.withInlined(code, images.shown(path), (text) => this.warn(text));
      return { code: made, map: null };
    },
  };
}

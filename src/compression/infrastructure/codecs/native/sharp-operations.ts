/**
 * Leaves libvips only the loaders and savers that the codecs use. It has about 40 more, for files, SVG, TIFF, GIF and others; a file
 * whose first bytes name one of these formats would reach their parsers.
 */
import sharp from 'sharp';

const OPEN = ['Jpeg', 'Png', 'Webp', 'Heif'].flatMap((format) => [
  `VipsForeignLoad${format}Buffer`,
  `VipsForeignSave${format}Buffer`,
]);

/** Call this before the first image. It holds for the whole process. */
export function blockUnusedOperations(): void {
  // VipsSystem starts programs.
  sharp.block({ operation: ['VipsForeignLoad', 'VipsForeignSave', 'VipsSystem'] });
  sharp.unblock({ operation: OPEN });
}

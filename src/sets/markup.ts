/**
 * The HTML of a set: `<picture>`, or `<img>` if there is one format. It names only files that exist, and
 * prefers a format that more browsers show where another one saves nothing. Text from users is escaped; names
 * are encoded as URLs.
 */
import { FORMATS, type Formats, type ResultFormatName } from '../contract/formats';
import type { SetOptions } from './set-plan';

/** A file of a set that was made. Sizes are in pixels and bytes. */
export interface SetFile {
  readonly name: string;
  readonly format: ResultFormatName;
  readonly width: number;
  readonly height: number;
  /** Pixels per CSS pixel at which it was judged. */
  readonly density: number;
  readonly bytes: number;
  /** The score, 0..1, rounded to four decimals. */
  readonly ssim: number;
  /** A file of the same width that more browsers show and that is not larger. The markup names that one instead. */
  readonly largerThan?: string;
}

/** A format of a package comes last. */
function rankFormat(format: string) {
  const names = Object.keys(FORMATS);
  return names.includes(format) ? names.indexOf(format) : names.length;
}

/** Marks files that are larger than one of the same width in a format that more browsers show. */
export function comparedByWidth(files: readonly SetFile[]): SetFile[] {
  return files.map((file) => {
    const better = files
      .filter(({ width, format }) => width === file.width && rankFormat(format) < rankFormat(file.format))
      .filter(({ bytes }) => bytes <= file.bytes)
      .sort((a, b) => a.bytes - b.bytes)
      .at(0);
    return better ? { ...file, largerThan: better.name } : file;
  });
}

/** Sentences for the user about the files that the markup leaves out. */
export function notesOn(files: readonly SetFile[]): string[] {
  return files.flatMap(({ name, largerThan }) =>
    largerThan === undefined ? [] : [`${name} is not in the markup: ${largerThan} is not larger.`],
  );
}

/** Lists every width of a format, as browsers choose one within it: `largerThan` replaces a file. Empty without files. */
export function writeMarkup(
  files: readonly SetFile[],
  { sizes, alt }: SetOptions,
  background: string | undefined,
  knownFormats: Formats,
): string {
  const formats = [...new Set(files.map(({ format }) => format))].sort(
    (a, b) => rankFormat(b) - rankFormat(a),
  );
  const fallback = formats.at(-1);
  if (fallback === undefined) return '';
  const nameFor = ({ name, largerThan = name }: SetFile) => largerThan;
  const srcset = (format: ResultFormatName) =>
    files
      .filter((file) => file.format === format)
      .map((file) => `${encodeUrl(nameFor(file))} ${writeDescriptor(file)}`)
      .join(', ');
  const isWorthwhile = (format: ResultFormatName) =>
    files.some((file) => file.format === format && file.largerThan === undefined);
  const writeDescriptor = ({ width, density }: SetFile) => ('widths' in sizes ? `${width}w` : `${density}x`);
  const shown = files.filter(({ format }) => format === fallback);
  const largest = shown.reduce((a, b) => (b.width > a.width ? b : a));
  const [width, height] = [largest.width, largest.height].map((px) => Math.round(px / largest.density));
  const sizing = 'widths' in sizes ? ` sizes="(min-width: ${width}px) ${width}px, 100vw"` : '';
  const style = background === undefined ? '' : ` style="${escapeHtml(background)}"`;
  const img = `<img src="${encodeUrl(shown[0].name)}" srcset="${srcset(fallback)}"${sizing} width="${width}" height="${height}" alt="${escapeHtml(alt)}"${style}>`;
  const sources = formats.slice(0, -1).filter(isWorthwhile);
  if (sources.length === 0) return img;
  const lines = sources.map(
    (format) => `  <source type="${knownFormats.of(format).mediaType}" srcset="${srcset(format)}"${sizing}>`,
  );
  return ['<picture>', ...lines, `  ${img}`, '</picture>'].join('\n');
}

/** Commas and spaces separate the parts of a srcset. */
function encodeUrl(name: string) {
  return encodeURIComponent(name).replaceAll('%40', '@').replaceAll("'", '%27');
}

/** Text within double quotes, or between tags. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

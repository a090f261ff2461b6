/** Where the pages of a built site show its images. Nothing is fetched, and no style sheet is applied. */
import { join, sep } from 'node:path';
import type { DefaultTreeAdapterTypes } from 'parse5' with { 'resolution-mode': 'import' };
import type { Dimensions } from '../../compression/domain/dimensions';
import { chosenDensities, type Candidate } from './browser-choice';

type Element = DefaultTreeAdapterTypes.Element;
/** `box` is in CSS pixels, `density` in pixels of the image per CSS pixel. Without both, CSS or a script sizes the image. */
type Size = { readonly box?: Box; readonly density?: number };
type Box = { readonly width?: number | undefined; readonly height?: number | undefined };
type Use = Size & { readonly page: string };

export interface Shown {
  /** The lowest of all places; undefined if one of them does not tell. */
  readonly density?: number | undefined;
  readonly page?: string | undefined;
  /** Whether only width and height in the page, and no `srcset` or link, tell its size. */
  readonly isScalable?: boolean;
}

/** Only for resolving addresses. */
const ORIGIN = 'http://site.invalid';
const URL_IN_CSS = /url\(\s*["']?([^"')]+)/g;
/** A quoted file name. If it names an image, the script may show that at any size. */
const NAME_IN_SCRIPT = /["'`]([^"'`\s]+\.\w{3,5})["'`]/g;
const SIZED_BY_STYLE = /(^|[\s;])(min-)?(width|height)\s*:/;
const DENSITY_IN_NAME = /@([1-4](?:\.\d)?)x\.[^.]+$/;

export interface SiteFile {
  readonly folder: string;
  readonly name: string;
  readonly text: string;
}

/** @param paths of the images */
export async function findShown(files: readonly SiteFile[], paths: readonly string[]) {
  const { parse } = await import('parse5');
  const { parseSrcset } = await import('srcset');
  const uses = new Map(paths.map((path): [string, Use[]] => [path, []]));
  const depth = paths.reduce((most, path) => Math.max(most, path.split(sep).length), 0);
  for (const file of files) {
    const page = new Page(file, depth, parseSrcset, (path, use) => !!uses.get(path)?.push(use));
    if (file.name.endsWith('.css')) page.styles(file.text);
    else if (/js$/.test(file.name)) page.script(file.text);
    else page.read(parse(file.text, { scriptingEnabled: false }));
  }
  return (path: string, dimensions: Dimensions): Shown => shownBy(uses.get(path) ?? [], path, dimensions);
}

function shownBy(uses: readonly Use[], path: string, { width, height }: Dimensions): Shown {
  const seen = uses.map(({ box, density, page }) => {
    const ratios = box && [width / (box.width ?? 0), height / (box.height ?? 0)];
    return { page, density: ratios ? Math.min(...ratios) : density };
  });
  const known = seen.flatMap(({ page, density }) => (density === undefined ? [] : [{ page, density }]));
  if (known.length > 0 && known.length === seen.length) {
    const lowest = known.reduce((most, use) => (use.density < most.density ? use : most));
    return { ...lowest, isScalable: uses.every(({ box }) => box) };
  }
  const named = DENSITY_IN_NAME.exec(path)?.[1];
  return named === undefined ? {} : { density: Number(named) };
}

class Page {
  private base: string;

  constructor(
    private readonly file: SiteFile,
    /** No image is in more folders. */
    private readonly depth: number,
    private readonly parseSrcset: (srcset: string) => Candidate[],
    private readonly add: (path: string, use: Use) => boolean,
  ) {
    this.base = new URL(encodeURI(file.name), `${ORIGIN}/`).href;
  }

  /** In the order of the page, and without recursion: elements may be nested more deeply than the stack is. */
  read(root: DefaultTreeAdapterTypes.Node) {
    const open: { node: DefaultTreeAdapterTypes.Node; picture?: Element | undefined }[] = [{ node: root }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { node, picture } = next;
      if ('tagName' in node) this.element(node, picture);
      const inside = 'tagName' in node && node.tagName === 'picture' ? node : undefined;
      if ('content' in node) open.push({ node: node.content });
      if ('childNodes' in node)
        for (const child of node.childNodes.toReversed()) open.push({ node: child, picture: inside });
    }
  }

  styles(text: string) {
    for (const [, url] of text.matchAll(URL_IN_CSS)) this.use(url, {});
  }

  /** The names in a script may be relative to any page. */
  script(text: string) {
    for (const [, name] of text.matchAll(NAME_IN_SCRIPT))
      for (const address of [name, `/${name}`]) this.use(address, {});
  }

  private element(element: Element, picture?: Element) {
    const { tagName, childNodes, attrs } = element;
    const { href = '', style = '' } = readAttributes(element);
    this.styles(style);
    for (const text of childNodes) {
      if (tagName === 'style' && 'value' in text) this.styles(text.value);
      if (tagName === 'script' && 'value' in text) this.script(text.value);
    }
    if (tagName === 'base' && URL.canParse(href, this.base)) this.base = new URL(href, this.base).href;
    const isImage = tagName === 'img' || (tagName === 'source' && picture !== undefined);
    if (isImage) this.image(element, picture);
    // A link shows the file itself, as do the icon and the preview of a page. Scripts may read other attributes.
    const size = /^(a|link|meta)$/.test(tagName) ? { density: 1 } : {};
    for (const { name, value } of attrs) if (!isImage || !/^src(set)?$/.test(name)) this.use(value, size);
  }

  private image(element: Element, picture?: Element) {
    const { src = '', srcset = '', sizes = '100vw' } = readAttributes(element);
    const isImage = (node: object): node is Element => 'tagName' in node && node.tagName === 'img';
    const box = readBox(element) ?? picture?.childNodes.filter(isImage).map(readBox).at(0);
    const candidates = this.parseSrcset(srcset);
    const shown = box && { box };
    // Beside others, an image without a descriptor is that for density 1.
    this.use(src, shown ?? (candidates.length > 0 ? { density: 1 } : {}));
    const densities = candidates.some(({ width }) => width) ? chosenDensities(candidates, sizes) : undefined;
    for (const { url, width, density = 1 } of candidates) {
      if (width !== undefined) this.use(url, { density: densities?.get(url) } as Size);
      else this.use(url, shown ?? { density });
    }
  }

  /** The site may be made for a folder of its host, such as /docs/: its addresses then begin with that. */
  private use(address: string, size: Size) {
    if (!URL.canParse(address, this.base)) return;
    const { origin, pathname } = new URL(address, this.base);
    const parts = pathname.split('/').filter(Boolean).map(decoded);
    // An address may have thousands of slashes.
    const first = Math.max(0, parts.length - this.depth);
    for (let i = first; i < (origin === ORIGIN ? parts.length : 1); i++)
      if (this.add(join(this.file.folder, ...parts.slice(i)), { page: this.file.name, ...size })) return;
  }
}

function decoded(path: string) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function readAttributes({ attrs }: Element): Partial<Record<string, string>> {
  return Object.fromEntries(attrs.map(({ name, value }) => [name, value]));
}

/** Percentages, and sizes that a style replaces, are none. */
function readBox(element: Element): Box | undefined {
  const { style = '', ...attributes } = readAttributes(element);
  const [width, height] = [attributes['width'], attributes['height']].map(
    (side = '') => Number(/^(\d+(\.\d+)?)( ?px)?$/.exec(side.trim())?.[1]) || undefined,
  );
  return (width ?? height) && !SIZED_BY_STYLE.test(style) ? { width, height } : undefined;
}

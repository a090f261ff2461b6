/**
 * The page of `ics check --html`: the largest savings, each image with a divider between what is shipped and
 * what would do. It works from a file, without a network.
 */
import { Formats } from '../../contract/formats';
import { escapeHtml } from '../../sets/markup';

interface Compared {
  readonly name: string;
  /** Sizes and dimensions, before and after. */
  readonly words: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
h1, h2 { font-size: 1.1rem; overflow-wrap: anywhere; white-space: pre-line; } h2 { margin: 3rem 0 0; }
p { margin: 0 0 0.75rem; }
.images { display: grid; max-width: 100%; } .images > *, .images::after { grid-area: 1 / 1; }
img { height: auto; width: 100%; } img + img { clip-path: inset(0 0 0 var(--at, 50%)); }
.images::after { background: #fff; content: ''; margin-left: var(--at, 50%); outline: 1px solid #000; width: 1px; }
input { cursor: ew-resize; height: 100%; margin: 0; opacity: 0; width: 100%; z-index: 1; }
.images:focus-within { outline: 3px solid Highlight; outline-offset: 3px; }`;
const SCRIPT = `addEventListener('input', ({ target }) => target.parentElement.style.setProperty('--at', target.value + '%'));`;

const HEAD =
  '<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Images of the site</title>\n';

/** An earlier report is no page of the site, even if it was written into its folder. */
export const isComparisonPage = (text: string) => text.startsWith(HEAD);

/** One file that loads nothing. */
export function comparisonPage(summary: string, compared: readonly Compared[]): string {
  return `${HEAD}<style>${STYLE}</style><h1>${escapeHtml(summary.trim())}</h1>
<p>Each image has its size in the site: left of the divider as shipped, right of it as needed. Drag, or use the arrow keys.</p>
${compared.map(figure).join('\n')}
<script>${SCRIPT}</script></html>\n`;
}

function figure({ name, words, width, before, after }: Compared) {
  return `<h2>${escapeHtml(name)}</h2><p>${escapeHtml(words)}</p>
<div class="images" style="width: ${width}px"><img src="${dataUrl(before)}" alt="As shipped"><img src="${dataUrl(after)}" alt="As needed">
<input type="range" step="0.1" aria-label="Divider of ${escapeHtml(name)}"></div>`;
}

/** Browsers recognise the format of a package by its first bytes. */
function dataUrl(bytes: Uint8Array) {
  const format = Formats.builtIn.bySignature(bytes);
  const type = format === undefined ? '' : Formats.builtIn.of(format).mediaType;
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}

/** Keeps API keys out of logs, traces and request ids: a client may put one into any text. */

/** Longer than any word in the paths of this service. A key without its prefix is still a key. */
const LONG_WORD = /[0-9a-z]{20,}/gi;
/** An API key in text that may have other long words, such as trace ids. */
const API_KEY = /ics_[0-9a-z]{20}/i;
/** A proxy or a client may encode a path again. */
const MAX_ENCODINGS = 4;

const HIDDEN = '...';
/** Words and separators: a configured key begins and ends with one. */
const PART = /[0-9a-z]+|[^0-9a-z]/gi;
/** Bounds the digests for one text: at most 300 of 1.5 µs each. Ids and paths of this service have at most 20 parts. */
const MAX_PARTS = 32;
/** Other ids than those of HTTP Basic authentication decode to bytes of any value. */
const PRINTABLE = /^[\x20-\x7e]*$/;
/** Characters of a configured key. */
export const CONFIGURED_KEY_LENGTH = { min: 32, max: 256 };

/** Undoes percent-encoding, even if applied several times. Takes any text, unlike decodeURIComponent. */
export function decodedPath(path: string): string {
  let text = path;
  for (let i = 0; i < MAX_ENCODINGS && text.includes('%'); i++) {
    text = text.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  }
  return text;
}

export class HiddenKeys {
  /** Returns whether the text is a key of API_KEYS_FILE. Such a key may look like any id, so only its digest shows it. */
  isConfigured: ((text: string) => boolean) | undefined;

  /** Returns the path with `...` in place of possible keys. */
  hideIn(path: string): string {
    const decoded = decodedPath(path);
    const hidden = this.hideConfigured(decoded).replace(LONG_WORD, HIDDEN);
    return hidden === decoded ? path : hidden;
  }

  /** Returns whether the text contains a key, plain or in base64, as in HTTP Basic authentication. */
  areIn(text: string): boolean {
    const decoded = Buffer.from(text, 'base64').toString('latin1');
    return [text, decoded].some((one) => API_KEY.test(one) || this.holds(one));
  }

  private holds(text: string) {
    return PRINTABLE.test(text) && this.hideConfigured(text) !== text;
  }

  /** Hides a text of too many parts as a whole. */
  private hideConfigured(text: string): string {
    const { min, max } = CONFIGURED_KEY_LENGTH;
    if (!this.isConfigured || text.length < min) return text;
    const parts = text.match(PART) ?? [];
    if (parts.length > MAX_PARTS) return HIDDEN;
    for (let start = 0; start < parts.length; start++) {
      for (let end = start + 1; end <= parts.length; end++) {
        const run = parts.slice(start, end).join('');
        if (run.length > max) break;
        if (run.length >= min && this.isConfigured(run))
          return this.hideConfigured(text.replaceAll(run, HIDDEN));
      }
    }
    return text;
  }
}

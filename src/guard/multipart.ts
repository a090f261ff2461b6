/**
 * Splits a multipart/form-data body by offsets (RFC 7578, RFC 2046), so that everything but an image stays byte for byte. A body that
 * parsers could read in two ways is not split.
 */

export interface Part {
  /** Names in lower case; each occurs once. */
  readonly headers: ReadonlyMap<string, string>;
  /** Of the head, after the line of the delimiter. */
  readonly headAt: number;
  /** Of the content. */
  readonly start: number;
  readonly end: number;
}

/** As RFC 2046 has it, but any order and no other parameter named so. */
const BOUNDARY =
  /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+.-]{1,70}))\s*(?:;|$)/i;
const HEADER = /^([!#$%&'*+.^`|~\w-]+):([^\r\n\0]*)$/;
const MAX_HEAD_BYTES = 16 * 1024;
/** A part takes some 500 bytes of memory here, and may take 60 of the body. */
const MAX_PARTS = 1_000;

/** Returns the delimiter, without the line break before it; undefined if the type names none, or several. */
export function delimiterOf(contentType: string): string | undefined {
  if (contentType.split(/boundary=/i).length !== 2) return undefined;
  const found = BOUNDARY.exec(contentType);
  // One of both groups has matched.
  return found ? `--${found.slice(1).join('')}` : undefined;
}

/** Returns the parts in their order; undefined if the body is not exactly what its delimiter promises. */
export function splitParts(body: Buffer, delimiter: string): Part[] | undefined {
  const parts: Part[] = [];
  let at = body.indexOf(delimiter);
  if (at !== 0 && body.toString('latin1', at - 2, at) !== '\r\n') return undefined;
  for (;;) {
    const headAt = afterLine(body, at + delimiter.length);
    if (headAt === undefined) return undefined;
    const headEnd = body.subarray(headAt, headAt + MAX_HEAD_BYTES).indexOf('\r\n\r\n');
    const headers = headEnd < 0 ? undefined : readHeaders(body.toString('latin1', headAt, headAt + headEnd));
    const start = headAt + headEnd + 4;
    at = body.indexOf(delimiter, start);
    const end = at - 2;
    // Without a line break before it, some parsers see a delimiter and others content.
    if (!headers || parts.length >= MAX_PARTS || end < start || body.toString('latin1', end, at) !== '\r\n')
      return undefined;
    parts.push({ headers, headAt, start, end });
    const next = at + delimiter.length;
    if (body.toString('latin1', next, next + 2) !== '--') continue;
    return body.indexOf(delimiter, next) < 0 ? parts : undefined;
  }
}

/** Returns the position after spaces and a line break. */
function afterLine(body: Buffer, at: number) {
  let end = at;
  while (body[end] === 0x20 || body[end] === 0x09) end++;
  return body.toString('latin1', end, end + 2) === '\r\n' ? end + 2 : undefined;
}

function readHeaders(head: string) {
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n')) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? [];
    const lower = name.toLowerCase();
    if (lower === '' || headers.has(lower)) return undefined;
    headers.set(lower, value.trim());
  }
  return headers;
}

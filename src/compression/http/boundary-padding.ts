/**
 * Removes spaces and tabs between a boundary and the end of its line, as a form arrives. RFC 2046 (5.1.1) allows them; the
 * parser would skip the part after them.
 */

const [TAB, CR, SPACE] = [9, 13, 32];
/** Longer padding is left, and the part is skipped: padding is held until its end arrives. */
const MAX_PADDING = 256;

export class BoundaryPadding {
  private readonly delimiter: Buffer;
  /** What may be the start of a padded boundary. A line break before the form, so that its first line is no exception. */
  private held: Buffer = Buffer.from('\r\n');

  constructor(
    boundary: string,
    private readonly write: (piece: Buffer) => void,
  ) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  add(piece: Buffer): void {
    const data = Buffer.concat([this.held, piece]);
    const cut = this.cutOffAt(data);
    this.held = data.subarray(cut);
    let from = 0;
    for (let at: number; (at = data.indexOf(this.delimiter, from)) >= 0 && at < cut;) {
      const boundaryEnd = at + this.delimiter.length;
      const lineEnd = paddingEnd(data, boundaryEnd);
      this.pass(data.subarray(from, boundaryEnd));
      from = data[lineEnd] === CR ? lineEnd : boundaryEnd;
    }
    this.pass(data.subarray(from, cut));
  }

  flush(): void {
    this.pass(this.held);
    this.held = Buffer.alloc(0);
  }

  private pass(piece: Buffer) {
    if (piece.length > 0) this.write(piece);
  }

  /** Returns where a boundary begins that the end of the data cuts off, in its name or its padding; the length if none does. */
  private cutOffAt(data: Buffer) {
    const { delimiter } = this;
    const earliest = Math.max(0, data.length - delimiter.length - MAX_PADDING);
    for (let at = earliest; (at = data.indexOf(CR, at)) >= 0; at++) {
      const end = Math.min(data.length, at + delimiter.length);
      const isStart = data.compare(delimiter, 0, end - at, at, end) === 0;
      if (isStart && paddingEnd(data, end) === data.length) return at;
    }
    return data.length;
  }
}

function paddingEnd(data: Buffer, start: number) {
  let end = start;
  while ((data[end] === SPACE || data[end] === TAB) && end - start < MAX_PADDING) end++;
  return end;
}

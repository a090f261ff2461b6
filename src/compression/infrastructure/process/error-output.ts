/** The standard error of a worker, which must not get the file of the service's own: that may be its log. */
import type { Readable } from 'node:stream';

/** From one image to the next. Code that writes slowly could fill the log too. */
const MAX_BYTES = 256 * 1024;
const MAX_LINE_LENGTH = 8 * 1024;
const CONTROL_CHARACTERS = /[^\x20-\x7e\n\t]/g;

export class ErrorOutput {
  private bytes = 0;
  private line = '';
  /** Lines of a worker that is loading its codecs: they may be the reason why it cannot. */
  private held: string | undefined = '';

  constructor(errors: Readable, onFlood: (cause: string) => void) {
    errors.on('data', (text: Buffer) => {
      this.bytes += text.length;
      if (this.bytes > MAX_BYTES) onFlood('it floods its standard error');
      else this.take(this.line + text.toString('latin1'));
    });
    errors.on('end', () => this.line && this.take(`${this.line}\n`));
  }

  get firstLine(): string | undefined {
    return (this.held ?? '').trim().split('\n')[0] || undefined;
  }

  allowMore() {
    this.bytes = 0;
  }

  release() {
    const lines = this.held;
    this.held = undefined;
    if (lines) this.write(lines);
  }

  /** Takes whole lines and keeps the rest: a mark in the middle of a line would be wrong. */
  private take(text: string) {
    const end = text.lastIndexOf('\n') + 1;
    const isTooLong = text.length - end > MAX_LINE_LENGTH;
    this.line = isTooLong ? '' : text.slice(end);
    this.write(isTooLong ? `${text}\n` : text.slice(0, end));
  }

  /** Writes lines that command no terminal and cannot be mistaken for lines of the log. */
  private write(lines: string) {
    if (this.held !== undefined) this.held += lines;
    else if (lines)
      process.stderr.write(lines.replace(CONTROL_CHARACTERS, '?').replace(/^(?=.)/gm, 'worker: '));
  }
}

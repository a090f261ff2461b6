/** A service whose clock the test sets. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Clock {
  private readonly file = join(mkdtempSync(join(tmpdir(), 'ics-clock-')), 'ahead');

  readonly env = {
    TEST_CLOCK_FILE: this.file,
    NODE_OPTIONS: `--require ${join(__dirname, 'shifted-date.cjs')}`,
  };

  /** From now on the clock goes on from this time. */
  setTo(time: string): void {
    writeFileSync(this.file, String(Date.parse(time) - Date.now()));
  }
}

/** A service whose clock the test sets. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFile } from './folders';

export class Clock {
  private readonly file = temporaryFile('ahead');

  readonly env = {
    TEST_CLOCK_FILE: this.file,
    NODE_OPTIONS: `--require ${join(__dirname, 'shifted-date.cjs')}`,
  };

  /** From now on the clock goes on from this time. */
  setTo(time: string) {
    writeFileSync(this.file, String(Date.parse(time) - Date.now()));
  }
}

/** Loaded into a service (node --require): its clock is ahead by the milliseconds in the file TEST_CLOCK_FILE. */
const { existsSync, readFileSync } = require('node:fs');

const file = process.env.TEST_CLOCK_FILE;
const RealDate = Date;

if (file) {
  const now = () => RealDate.now() + (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  globalThis.Date = class extends RealDate {
    constructor(...values) {
      super(...(values.length > 0 ? values : [now()]));
    }

    static now() {
      return now();
    }
  };
}

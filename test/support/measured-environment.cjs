/**
 * The environment of test files. It notes how much processor time each took: its own, and that of processes that it started and waited
 * for. Unlike time on the clock, that hardly depends on what else the machine does. Only on Linux.
 */
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
// Jest itself depends on it.
const { TestEnvironment } = require('jest-environment-node');

const STAT = '/proc/self/stat';
const TICKS_PER_SECOND = 100;
const listOf = (runFolder) => join(runFolder, 'processor-times');

/** proc(5): utime, stime, cutime and cstime are the fields 14 to 17. The name of the program ends with the last ")". */
function processorSeconds() {
  const stat = readFileSync(STAT, 'latin1');
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return ticks.reduce((sum, count) => sum + Number(count), 0) / TICKS_PER_SECOND;
}

module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.testPath = context.testPath;
    this.before = existsSync(STAT) ? processorSeconds() : undefined;
  }

  /** After the hooks of the file, in which it stops what it has started. */
  async teardown() {
    await super.teardown();
    if (this.before === undefined || !process.env.TEST_RUN_FOLDER) return;
    const line = JSON.stringify([this.testPath, processorSeconds() - this.before]);
    appendFileSync(listOf(process.env.TEST_RUN_FOLDER), `${line}\n`);
  }

  /** Returns the processor time of each test file of this run in seconds, by its path. */
  static readTimes() {
    const list = listOf(process.env.TEST_RUN_FOLDER ?? '');
    if (!existsSync(list)) return new Map();
    return new Map(
      readFileSync(list, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  }
};

/**
 * Says at the end of `npm test` what it left to the other tier, and at the end of the others which files took longest. Fails the quick tier
 * if a file is too slow for it, so that none lands there unnoticed.
 */
const { readdirSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { readTimes } = require('./measured-environment.cjs');

const SHOWN = 20;
/**
 * A file is slow if it takes this many times the mean processor time of the files of its run, which is 1.7 s. Most take less than 2.5 times;
 * on a busy machine three take 5.4 to 6.3 times.
 */
const SLOW = 8;
/** A run of fewer files is not that of the tier: a part of it, such as the unit tests, may have a far smaller mean. */
const FEWEST = 100;

module.exports = class Tiers {
  constructor({ rootDir, outputFile }, { tier, heavy }) {
    Object.assign(this, { rootDir, outputFile, tier, heavy });
  }

  /**
   * Returns a sentence about each file that is too slow. It compares processor times of one run, so neither a slow nor a busy machine changes
   * the verdict.
   * @param {[path: string, seconds: number][]} times
   * @param {string[]} heavy paths that may be slow
   */
  static findSlow(times, heavy) {
    if (times.length < FEWEST) return [];
    const mean = times.reduce((sum, [, seconds]) => sum + seconds, 0) / times.length;
    return times
      .filter(([path, seconds]) => seconds > SLOW * mean && !heavy.includes(path))
      .map(
        ([path, seconds]) => `${path} takes ${(seconds / mean).toFixed(1)} times the mean of the quick tier.`,
      );
  }

  onRunComplete(_, { testResults }) {
    if (this.tier === 'quick') {
      const files = readdirSync(join(this.rootDir, 'test'), { recursive: true });
      const left = files.filter((file) => file.endsWith('.spec.ts')).length - testResults.length;
      const times = [...readTimes()].map(([path, seconds]) => [relative(this.rootDir, path), seconds]);
      this.slow = Tiers.findSlow(times, this.heavy);
      // For the totals of CI.
      if (this.outputFile) writeFileSync(`${this.outputFile}.slow`, this.slow.join('\n'));
      // After Jest's own summary.
      process.once('exit', () => {
        for (const line of this.slow)
          console.log(`Too slow: ${line} Add it to FULL_TIER in config/jest.config.cjs.`);
        console.log(`${left} files were left out: npm run test:all runs them too.`);
      });
    } else if (testResults.length > SHOWN) {
      const slowest = testResults.sort((a, b) => b.perfStats.runtime - a.perfStats.runtime).slice(0, SHOWN);
      console.log(`The ${SHOWN} slowest files, in seconds:`);
      for (const { perfStats, testFilePath } of slowest)
        console.log(
          `${(perfStats.runtime / 1000).toFixed(1).padStart(6)}  ${relative(this.rootDir, testFilePath)}`,
        );
    }
  }

  /** Jest fails if this returns an error. */
  getLastError() {
    return this.slow?.length ? new Error(this.slow.join('\n')) : undefined;
  }
};

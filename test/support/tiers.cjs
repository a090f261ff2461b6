/** Says at the end of `npm test` what it left to the other tier, and at the end of the others which files took longest. */
const { readdirSync } = require('node:fs');
const { join, relative } = require('node:path');

const SHOWN = 20;

module.exports = class {
  constructor({ rootDir }, { tier }) {
    Object.assign(this, { rootDir, tier });
  }

  onRunComplete(_, { testResults }) {
    if (this.tier === 'quick') {
      const files = readdirSync(join(this.rootDir, 'test'), { recursive: true });
      const left = files.filter((file) => file.endsWith('.spec.ts')).length - testResults.length;
      // After Jest's own summary.
      process.once('exit', () => console.log(`${left} files were left out: npm run test:all runs them too.`));
    } else if (testResults.length > SHOWN) {
      const slowest = testResults.sort((a, b) => b.perfStats.runtime - a.perfStats.runtime).slice(0, SHOWN);
      console.log(`The ${SHOWN} slowest files, in seconds:`);
      for (const { perfStats, testFilePath } of slowest)
        console.log(
          `${(perfStats.runtime / 1000).toFixed(1).padStart(6)}  ${relative(this.rootDir, testFilePath)}`,
        );
    }
  }
};

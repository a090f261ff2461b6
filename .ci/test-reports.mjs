/**
 * Reads Jest's JSON reports in a folder: again.json is the second run of files that failed in another one.
 *
 * node .ci/test-reports.mjs failed-files FOLDER   the files with a failure, a line each
 * node .ci/test-reports.mjs totals FOLDER         the totals; what only again.json passes is unstable, and counts as passed. Fails if
 *                                                 a file is too slow for its tier (*.slow, by test/support/tiers.cjs)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [command, folder] = process.argv.slice(2);
const readReport = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
const reports = names.filter((name) => name !== 'again.json').map(readReport);
const again = names.filter((name) => name === 'again.json').map(readReport);

const failedFiles = (list) =>
  list.flatMap(({ testResults }) => testResults).filter(({ status }) => status === 'failed');
const failedTests = ({ assertionResults }) =>
  assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
/** A file that did not load has no failed test, but counts as one. */
const failures = (list) =>
  failedFiles(list).reduce((sum, file) => sum + Math.max(1, failedTests(file).length), 0);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

if (command === 'failed-files') {
  for (const { name } of failedFiles(reports)) console.log(name);
} else {
  const failed = failures(again.length ? again : reports);
  if (again.length) {
    const still = new Set(failedFiles(again).flatMap(failedTests));
    const unstable = failedFiles(reports)
      .flatMap(failedTests)
      .filter((name) => !still.has(name));
    for (const name of unstable) console.log(`unstable: ${name}`);
  }
  const passed = sum(reports.map(({ numPassedTests }) => numPassedTests)) + failures(reports) - failed;
  console.log(
    `${passed} passed, ${failed} failed, ${sum(reports.map(({ numPendingTests }) => numPendingTests))} skipped`,
  );
  const slow = readdirSync(folder)
    .filter((name) => name.endsWith('.slow'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean));
  for (const line of slow) console.log(`too slow: ${line}`);
  if (slow.length) process.exitCode = 1;
}

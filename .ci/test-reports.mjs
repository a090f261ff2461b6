/**
 * Reads Jest's JSON reports.
 *
 * node .ci/test-reports.mjs failed-files REPORT       the files with a failure, a line each
 * node .ci/test-reports.mjs totals REPORT [SECOND]    the totals; what only SECOND passes is unstable, and counts as passed
 */
import { readFileSync } from 'node:fs';

const [command, ...files] = process.argv.slice(2);
const [first, second] = files.map((file) => JSON.parse(readFileSync(file, 'utf8')));
const failedFiles = ({ testResults }) => testResults.filter(({ status }) => status === 'failed');
const failedTests = ({ assertionResults }) =>
  assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
/** A file that did not load has no failed test, but counts as one. */
const failures = (report) =>
  failedFiles(report).reduce((sum, file) => sum + Math.max(1, failedTests(file).length), 0);

if (command === 'failed-files') {
  for (const { name } of failedFiles(first)) console.log(name);
} else {
  if (second) {
    const still = new Set(failedFiles(second).flatMap(failedTests));
    const unstable = failedFiles(first)
      .flatMap(failedTests)
      .filter((name) => !still.has(name));
    for (const name of unstable) console.log(`unstable: ${name}`);
  }
  const { numPassedTests, numPendingTests } = first;
  const failed = second ? failures(second) : failures(first);
  const passedLater = failures(first) - failed;
  console.log(`${numPassedTests + passedLater} passed, ${failed} failed, ${numPendingTests} skipped`);
}

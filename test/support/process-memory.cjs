/** What a process has in memory, as Linux counts it; elsewhere nothing is known and the answers are undefined. */
const { readFileSync, readdirSync, writeFileSync } = require('node:fs');

/** Peak resident set of a process in megabytes (10^6 bytes) since it began, or since forgetPeak. */
function peakMegabytes(pid) {
  return statusOf(pid, 'VmHWM');
}

function residentMegabytes(pid) {
  return statusOf(pid, 'VmRSS');
}

/** Lets the peak begin anew at what the process holds now (proc(5), clear_refs). */
function forgetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Not Linux, or not allowed to: the peak since the start is the answer then.
  }
}

/** @returns {number[]} descendants that have no children; of a sandbox, the worker in it */
function workersOf(pid) {
  return childrenOf(pid).flatMap((child) => {
    const inside = workersOf(child);
    return inside.length > 0 ? inside : [child];
  });
}

function childrenOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function statusOf(pid, field) {
  try {
    const found = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    );
    return found ? (Number(found[1]) * 1024) / 1e6 : undefined;
  } catch {
    return undefined;
  }
}

module.exports = { childrenOf, forgetPeak, peakMegabytes, residentMegabytes, workersOf };

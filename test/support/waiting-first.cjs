const { default: Sequencer } = require('@jest/test-sequencer');

/** Files that mostly wait for limits of the service to pass: begun last, they would keep the run from ending. */
const WAITING = /http[\\/](heads|503-memory|stopping)|hostile[\\/]multipart-floods|web[\\/](troubles|trial)/;

module.exports = class extends Sequencer {
  sort(tests) {
    const [waiting, others] = [[], []];
    for (const test of super.sort(tests)) (WAITING.test(test.path) ? waiting : others).push(test);
    return [...waiting, ...others];
  }
};

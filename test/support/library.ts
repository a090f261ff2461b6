/** The built library, as programs load it. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
export const library = require('../../dist/library/index.js') as typeof import('../../src/library/index');

/** The same for `import`: one copy of the library, however it is loaded. */
export * from './index.js';

/** Loaded into a process before its own code (node --require): makes the native codecs unavailable. */
const Module = require('node:module');
const load = Module._load;
Module._load = function (request, ...rest) {
  if (request === 'sharp') throw new Error('libvips-cpp.so: cannot open shared object file');
  return load.call(this, request, ...rest);
};

/** A format of results whose encoder takes 800 MB and never ends. */
let taken;

exports.format = {
  encodeLosslessly: () => {
    taken = Array.from({ length: 800 }, () => Buffer.alloc(1024 * 1024, 1));
    return new Promise(() => undefined);
  },
  decode: () => Promise.reject(new Error('Nothing was encoded')),
};

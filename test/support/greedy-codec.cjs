/** A format of results whose encoder takes 800 MB and never ends. */
let taken;

exports.format = {
  name: 'greedy',
  label: 'Greedy',
  mediaType: 'image/x-greedy',
  extensions: ['greedy'],
  maxSidePx: 2 ** 16,
  hasAlpha: true,
  lossy: [],
  encodeLosslessly: () => {
    taken = Array.from({ length: 800 }, () => Buffer.alloc(1024 * 1024, 1));
    return new Promise(() => undefined);
  },
  decode: () => Promise.reject(new Error('Nothing was encoded')),
};

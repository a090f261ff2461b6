/**
 * A worker with a fault, for tests of the pool. Run as: node odd-worker.cjs FAULT FILE
 * Faults: deaf (takes no image), endless (never finishes one), slow (takes 0.4 s), dies (while it works).
 * The fault is there as long as the FILE is (deaf: when the worker starts); without it, the worker returns every image as it came.
 */
const { existsSync } = require('node:fs');
const { Socket } = require('node:net');
const { join } = require('node:path');
const workers = join(__dirname, '..', '..', 'dist', 'compression', 'infrastructure', 'workers');
const { FrameChannel } = require(join(workers, 'frame-channel.js'));

const [fault, file] = process.argv.slice(2);
const pipe = new Socket({ fd: 3 });
// Decided at the start: the tests cannot see when an image arrives that is not taken.
const isDeaf = fault === 'deaf' && existsSync(file);
const timings = { decode: 0, search: 0, encode: 0, verify: 0 };
const channel = new FrameChannel(pipe, ({ body }) => {
  const has = (name) => fault === name && existsSync(file);
  if (isDeaf) return;
  channel.send({ kind: 'begun' });
  if (has('endless')) return;
  if (has('dies')) process.exit(7);
  const dimensions = { width: 1, height: 1 };
  const sizes = {
    originalSize: body.length,
    compressedSize: body.length,
    bytesSaved: 0,
    score: 1,
    encodes: 0,
  };
  const report = { format: 'png', ...sizes, originalDimensions: dimensions, dimensions, timings };
  const done = () => channel.send({ kind: 'done', report: { ...report, skipReason: 'already-optimised' } });
  setTimeout(done, has('slow') ? 400 : 0);
});
pipe.on('close', () => process.exit(0));
channel.send({ kind: 'ready' });

/** node odd-worker.cjs FAULT FILE: has a fault as long as the FILE exists; without it, returns images unchanged. */
const { existsSync } = require('node:fs');
const { Socket } = require('node:net');
const { join } = require('node:path');
const processes = join(__dirname, '..', '..', 'dist', 'compression', 'infrastructure', 'process');
const { FrameChannel } = require(join(processes, 'frame-channel.js'));

const lengths = (header, body) => {
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32BE(header, 0);
  prefix.writeUInt32BE(body, 4);
  return prefix;
};
const MALFORMED = {
  'no-json': Buffer.concat([lengths(4, 0), Buffer.from('}}}}')]),
  'no-kind': Buffer.concat([lengths(2, 0), Buffer.from('{}')]),
  'no-report': Buffer.concat([lengths(33, 0), Buffer.from('{"kind":"compress","report":null}')]),
  'no-header': lengths(0, 0),
  'large-header': lengths(4_000_000_000, 0),
  'large-body': lengths(100, 4_000_000_000),
};

const [fault, file] = process.argv.slice(2);
const pipe = new Socket({ fd: 3 });
const timings = { decode: 0, search: 0, encode: 0, verify: 0 };
let taken;
/** An upload of the format `odd`: its dimensions are two integers of 16 bits after a signature of four bytes. */
let measured;
const channel = new FrameChannel(pipe, ({ header, body: sent }) => {
  if (header.kind === 'measure') {
    measured = sent;
    return channel.send({ kind: 'measure', width: sent.readUInt16BE(4), height: sent.readUInt16BE(6) });
  }
  const body = sent.length > 0 ? sent : measured;
  const has = (name) => fault === name && existsSync(file);
  if (has('endless')) return;
  if (has('hungry')) return (taken = Array.from({ length: 600 }, () => Buffer.alloc(1024 * 1024, 1)));
  if (has('dies') || has('absent-later')) process.exit(7);
  if (fault in MALFORMED && existsSync(file)) return pipe.write(MALFORMED[fault]);
  const dimensions = { width: 1, height: 1 };
  const sizes = {
    originalSize: body.length,
    compressedSize: body.length,
    bytesSaved: 0,
    score: 1,
    encodes: 0,
  };
  const report = { format: 'png', ...sizes, originalDimensions: dimensions, dimensions, timings };
  if (has('sizes-of-another')) report.bytesSaved = 1;
  if (has('negative-time')) report.timings = { ...timings, decode: -1 };
  const large = has('heavy') ? 1_000_000 : 10_000_000;
  const done = () =>
    has('heavy') || has('too-long')
      ? channel.send({ kind: 'compress', report: { ...report, compressedSize: large } }, Buffer.alloc(large))
      : channel.send({ kind: 'compress', report: { ...report, skipReason: 'already-optimised' } });
  if (has('of-another-task')) return channel.send({ kind: 'measure', width: 1, height: 1 });
  if (has('second-start')) channel.send({ kind: 'ready', notices: ['forged'] });
  if (has('late-unusable')) channel.send({ kind: 'unusable', reason: 'forged' });
  if (has('two-results')) done();
  if (has('writes-forever'))
    return setInterval(() => process.stderr.write('\x1b[2J{"level":"info"}\n'.repeat(3_000)), 1);
  const finish = () => (has('patient') ? setTimeout(finish, 20) : done());
  setTimeout(finish, has('slow') ? 400 : 0);
  if (has('works-on'))
    setTimeout(() => {
      for (;;);
    }, 100);
});
pipe.on('close', () => process.exit(0));
if (fault === 'absent' && existsSync(file)) process.exit(3);
if (fault === 'absent-later' && existsSync(`${file}.later`)) process.exit(3);
if (fault === 'unusable' && existsSync(file)) {
  channel.send({ kind: 'unusable', reason: 'libvips is missing' });
  pipe.end();
} else {
  const isMissing = fault === 'notices' && existsSync(file);
  channel.send({ kind: 'ready', notices: isMissing ? ['an encoder is missing'] : [] });
}

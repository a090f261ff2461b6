/** A program that uses the built library: when workers start, and when all processes exit. */
import { readdirSync, readFileSync } from 'node:fs';
import { expectSuccess } from '../support/ended';
import { until } from '../support/eventually';
import { Folder, PROJECT } from '../support/folders';
import { photoJpeg } from '../support/images';

const BUILT = PROJECT.path('dist/library/index.js');
let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(320, 240)));
const place = new Folder();
function run(program: string) {
  const text = `const { compress, Compressor } = require(${JSON.stringify(BUILT)});\nconst { readFileSync } = require('node:fs');\n`;
  place.put('program.cjs', text + program);
  place.put('photo.jpg', photo);
  return place.program(process.execPath, ['program.cjs'], { timeout: 120_000 });
}

it('starts workers as images arrive, and ends them when the compressor is closed', () => {
  const ended = run(`
      const { setTimeout: pause } = require('node:timers/promises');
      const photo = readFileSync('photo.jpg');
      let compressor = new Compressor({ workers: 3 });
      const workers = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ').filter(Boolean).length;
      const all = (count) => Promise.all(Array.from({ length: count }, () => compressor.compress(photo)));
      (async () => {
        const counts = [workers()];
        for (const images of [1, 2, 12]) counts.push(await all(images).then(workers));
        compressor.close();
        while (workers() > 0) await pause(10);
        compressor = new Compressor({ workers: 3 });
        counts.push(await all(1).then(workers));
        console.log(counts.join());
      })();`);
  expect(expectSuccess(ended)).toBe('0,1,2,3,1\n');
});

it('ends its workers when idle for some seconds', () => {
  const ended = run(`
      const workers = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ').filter(Boolean).length;
      compress(readFileSync('photo.jpg')).then(() => {
        const start = performance.now();
        const watch = setInterval(() => {
          if (workers() > 0) return;
          clearInterval(watch);
          console.log(Math.round((performance.now() - start) / 1000));
        }, 20);
      });`);
  // They are kept for five seconds, and seen to end later on a busy machine.
  expect(Number(expectSuccess(ended))).toBeGreaterThanOrEqual(4);
});

it('exits with its workers when all images are done', () => {
  const ended = run(`
      compress(readFileSync('photo.jpg')).then(() => {
        const worker = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ')[0];
        const pid = worker();
        process.on('exit', () => console.log(pid, worker()));
      });`);
  const [pid, atExit] = expectSuccess(ended).trim().split(' ').map(Number);
  // Idle workers are kept for five seconds; the program does not wait for that.
  expect([pid > 0, atExit]).toEqual([true, pid]);
  const isThere = () =>
    readdirSync('/proc').includes(String(pid)) &&
    !/State:\tZ/.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return until(() => !isThere());
});

it('stays alive until its images are done, even if a worker is killed', () => {
  const { status, stdout } = run(`
      const { execSync } = require('node:child_process');
      const compressor = new Compressor({ workers: 1 });
      const photo = readFileSync('photo.jpg');
      compressor.compress(photo).then(() => {
        const outcome = compressor.compress(photo, { effort: 'max' });
        process.kill(Number(execSync('pgrep -P ' + process.pid + ' -f worker-process').toString().split('\\n')[0]), 'SIGKILL');
        return outcome;
      }).then(({ report }) => console.log(report.format));`);
  expect([status, stdout.trim()]).toEqual([0, 'jpeg']);
});

it('may keep its event loop busy for seconds, before and while an image is compressed', () => {
  const { status, stdout } = run(`
      const busy = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      const photo = readFileSync('photo.jpg');
      compress(photo).then(() => {
        const outcome = compress(photo);
        setImmediate(() => busy(7000));
        return outcome;
      }).then(({ report }) => console.log(report.format), console.error);`);
  expect([status, stdout.trim()]).toEqual([0, 'jpeg']);
});

it('can share one signal among many images', () => {
  const ended = run(`
      const photo = readFileSync('photo.jpg');
      const { signal } = new AbortController();
      Promise.all(Array.from({ length: 30 }, () => compress(photo, { signal }))).then((all) => console.log(all.length));`);
  expect(expectSuccess(ended)).toBe('30\n');
});

it('gets the reason why the codecs cannot be loaded', () => {
  const engine = JSON.stringify(PROJECT.path('test/support/no-engine.cjs'));
  const { stdout } = run(`
      process.env.NODE_OPTIONS = '--require ' + ${engine};
      compress(readFileSync('photo.jpg')).catch((error) => console.log(error.name, error.code, error.message));`);
  expect(stdout).toMatch(/^EngineError engine_unavailable The codec engine cannot start: .+\.\n$/);
});

/** node result-writer.cjs FOLDER CAPACITY SEED: writes results until killed; image i has 50 000 + i bytes. */
const { createHash } = require('node:crypto');
const { join } = require('node:path');
const built = join(__dirname, '..', '..', 'dist', 'compression', 'infrastructure', 'remembered');
const { FolderResultStore } = require(join(built, 'folder-result-store.js'));

const [folder, capacity, seed] = process.argv.slice(2);
const keyOf = (name) => createHash('sha256').update(name).digest('hex');
const dimensions = { width: 40, height: 30 };
const report = {
  format: 'jpeg',
  originalSize: 100_000,
  compressedSize: 50_000,
  bytesSaved: 50_000,
  score: 0.99,
  originalDimensions: dimensions,
  dimensions,
  timings: { decode: 0, search: 0, encode: 0, verify: 0 },
  encodes: 1,
};

async function main() {
  const fail = (fault) => {
    console.error(fault);
    process.exit(1);
  };
  const store = await FolderResultStore.open(folder, Number(capacity), fail);
  process.send('started');
  for (let n = Number(seed); ; n = (n + 7) % 50) {
    await store.save(keyOf(`image ${n}`), { bytes: Buffer.alloc(50_000 + n, n), report });
  }
}
void main();

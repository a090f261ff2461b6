// Compresses files as streams; where that fails, it writes no file: node stream.cjs
const { createReadStream } = require('node:fs');
const { writeFile } = require('node:fs/promises');
const { pipeline } = require('node:stream/promises');
const { compressStream, CompressionError } = require('image-compression-service');

async function shrink(from, to) {
  const compressing = compressStream({ effort: 'fast', signal: AbortSignal.timeout(30_000) });
  try {
    await pipeline(createReadStream(from), compressing, async (result) => {
      for await (const bytes of result) await writeFile(to, bytes);
    });
    console.log(`${from}: ${compressing.report.bytesSaved} bytes saved`);
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
    console.log(`${from}: ${error.code}`);
  }
}

shrink('photos/sample.jpg', 'smaller.jpg').then(() => shrink('notes.txt', 'nothing.jpg'));

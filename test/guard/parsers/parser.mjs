/** Shows what Busboy or formidable has read of a request, as JSON. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import formidable from 'formidable';

async function busboy(req) {
  const read = [];
  const parser = new Busboy({ headers: req.headers });
  parser.on('field', (field, value) => read.push({ field, value }));
  parser.on('file', (field, stream, name, coding, type) => {
    const bytes = base64(stream).catch(() => undefined);
    read.push(bytes.then((known) => ({ field, name, coding, type, bytes: known })));
  });
  await pipeline(req, parser);
  return Promise.all(read);
}

async function ofFormidable(req) {
  const [fields, files] = await formidable({ allowEmptyFiles: true, minFileSize: 0 }).parse(req);
  const read = Object.entries(fields).map(([field, value]) => ({ field, value }));
  // It lists files in the order in which their writes end, which varies.
  for (const [field, all] of Object.entries(files).sort(([one], [other]) => one.localeCompare(other))) {
    for (const { originalFilename: name, mimetype: type, filepath } of all)
      read.push({ field, name, type, bytes: await readFile(filepath, 'base64') });
  }
  return read;
}

const base64 = async (stream) => (await buffer(stream)).toString('base64');
const [, , name, port] = process.argv;
const parse = name === 'busboy' ? busboy : ofFormidable;

createServer(async (req, res) => {
  const isForm = req.headers['content-type'].startsWith('multipart/');
  const read = isForm ? parse(req) : base64(req).then((bytes) => [{ bytes }]);
  const shown = await read.catch(({ message }) => [{ error: message }]);
  res.setHeader('Connection', 'close').end(JSON.stringify(shown));
}).listen(Number(port), '127.0.0.1');

/**
 * An upload route in Express with multer: takes one JPG or PNG in the form field "image" and returns it compressed. Trust neither
 * the file name nor the Content-Type of an upload, which come from the client: the library judges the bytes.
 */
import express from 'express';
import { AbortError, CompressionError, Compressor, ImageRefusedError } from 'image-compression-service';
import multer from 'multer';

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_UPLOADS = 16; // at once: 160 MiB in memory
const STATUS = { image_too_large: 413, unsupported_media_type: 415 }; // other refusals: 422

const app = express();
const upload = multer({ limits: { fileSize: MAX_FILE_BYTES, files: 1, fields: 0 } });
const compressor = new Compressor({ workers: 2 });
let uploads = 0;

app.post('/images', admit, upload.single('image'), refuseForm, async (request, response) => {
  if (!request.file) return refuse(response, 400, 'missing_image', 'Send an image in the field "image".');
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  const { bytes, report } = await compressor.compress(request.file.buffer, {
    maxMegapixels: 50,
    signal: disconnected.signal,
  });
  response.set({
    'Content-Type': `image/${report.format}`,
    'X-Content-Type-Options': 'nosniff',
    'X-Original-Size': report.originalSize,
    'X-Compressed-Size': report.compressedSize,
    'X-SSIM': report.ssim,
  });
  if (report.skipped) response.set('X-Skip-Reason', report.skipReason);
  response.send(bytes);
});

// Uploads wait in memory for a worker, so their number is limited before their bodies are read.
function admit(request, response, next) {
  if (uploads >= MAX_UPLOADS) {
    return refuse(response.set('Retry-After', '1'), 503, 'overloaded', 'Try again in a second.');
  }
  uploads++;
  response.once('close', () => uploads--);
  next();
}

// Multer's errors are the client's: a file that is too large, another field, a body that is not a form.
function refuseForm(error, request, response, next) {
  const status = error.code === 'LIMIT_FILE_SIZE' ? 413 : 400;
  refuse(response, status, error.code ?? 'invalid_multipart', error.message);
}

app.use((error, request, response, next) => {
  if (!(error instanceof CompressionError)) return next(error);
  if (error instanceof AbortError) return; // the client has disconnected
  if (error instanceof ImageRefusedError) {
    return refuse(response, STATUS[error.code] ?? 422, error.code, error.message);
  }
  console.error(error);
  const status = error.code === 'worker_lost' ? 503 : 500;
  refuse(response, status, error.code, 'The image could not be compressed.');
});

function refuse(response, status, code, message) {
  response.status(status).json({ code, message });
}

const server = app.listen(process.env.PORT ?? 3001, (error) => {
  if (error) throw error;
  console.log(`http://localhost:${server.address().port}/images`);
});
process.once('SIGTERM', () => server.close(() => compressor.close()));

/** `compress`: the recipe of the service on local files. */
import { mkdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { compressImage } from '../compression/application/compress-image';
import type { CompressedImage } from '../compression/domain/compression-report';
import { ImageRefused } from '../compression/domain/refusal';
import type { CodecEngine } from '../compression/application/codecs.port';
import { loadEngine } from '../compression/infrastructure/codecs/engines';
import type { Settings } from '../settings/settings';
import { CliFailure } from './exit';

/** File names are relative to where the user stands, which npm hides from scripts. */
const userFolder = process.env['ICS_USER_FOLDER'] ?? process.cwd();

interface CompressOptions {
  readonly output: string;
  readonly json?: boolean;
}

export function addCompressCommand(program: Command, settings: Settings): void {
  program
    .command('compress <images...>')
    .description('compress JPG and PNG files; with several, the output is a folder')
    .requiredOption('-o, --output <path>', 'file or folder to write to')
    .option('--json', 'print one JSON object a line')
    .action(async (images: string[], { output, json }: CompressOptions) => {
      const target = resolve(userFolder, output);
      const isFolder = images.length > 1 || /[\\/]$/.test(output) || (await isDirectory(target));
      if (isFolder) await mkdir(target, { recursive: true });
      const names = images.map((image) => basename(image));
      const twice = isFolder ? names.find((name, i) => names.indexOf(name) !== i) : undefined;
      if (twice)
        throw new CliFailure(`Two of the images are called ${twice}: one would overwrite the other.`);
      const engine = await loadEngine(settings.codecEngine);
      let failures = 0;
      for (const image of images) {
        const destination = isFolder ? join(target, basename(image)) : target;
        failures += (await compressFile(image, destination, engine, settings, json)) ? 0 : 1;
      }
      if (failures > 0) throw new CliFailure(`${failures} of ${images.length} could not be compressed.`);
    });
}

/** False, with a line on standard error, when this file could not be compressed. */
async function compressFile(
  input: string,
  output: string,
  engine: CodecEngine,
  settings: Settings,
  json?: boolean,
): Promise<boolean> {
  const start = performance.now();
  try {
    const bytes = await readFile(resolve(userFolder, input));
    const result = await compressImage(bytes, engine, settings.policy);
    await writeWhole(output, result.bytes);
    const ms = Math.round(performance.now() - start);
    process.stdout.write(
      `${json ? JSON.stringify(asJson(input, output, result, ms)) : asWords(input, result, ms)}\n`,
    );
    return true;
  } catch (error) {
    const isExpected = error instanceof ImageRefused || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isExpected) throw error;
    process.stderr.write(`${input}: ${(error as Error).message}\n`);
    return false;
  }
}

/** Writes aside and renames, so that no reader ever sees half a file. */
async function writeWhole(output: string, bytes: Uint8Array): Promise<void> {
  const aside = `${output}.${process.pid}.tmp`;
  try {
    await writeFile(aside, bytes);
    await rename(aside, output);
  } catch (error) {
    await unlink(aside).catch(() => undefined);
    throw error;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

function asJson(input: string, output: string, { report }: CompressedImage, ms: number): object {
  const { originalSize, compressedSize, bytesSaved, skipReason, quality, score, dimensions } = report;
  return {
    input,
    output,
    originalSize,
    compressedSize,
    bytesSaved,
    skipped: skipReason !== undefined,
    ...(skipReason ? { skipReason } : {}),
    ...(quality !== undefined ? { quality } : {}),
    ssim: Number(score.toFixed(4)),
    ...dimensions,
    ms,
  };
}

function asWords(input: string, { report }: CompressedImage, ms: number): string {
  const { originalSize, compressedSize, skipReason, quality, score, dimensions } = report;
  if (skipReason) return `${input}: kept as it is (${skipReason}), ${originalSize} bytes, ${ms} ms`;
  // An image that had to be scaled down may have gained bytes.
  const percent = ((compressedSize / originalSize - 1) * 100).toFixed(1);
  return [
    `${input}: ${originalSize} -> ${compressedSize} bytes (${percent} %)`,
    ...(quality !== undefined ? [`quality ${quality}`] : []),
    `score ${score.toFixed(4)}`,
    `${dimensions.width}x${dimensions.height}`,
    `${ms} ms`,
  ].join(', ');
}

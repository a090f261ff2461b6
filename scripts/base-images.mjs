/**
 * node scripts/base-images.mjs [FILE]   adds the current digests to the base images in a file such as config/compose.env, the default
 *
 * Writes nothing unless the registry names a digest for every image.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, userFolder } from './prepare.mjs';
import { fail, say } from './terminal.mjs';

const PINNED = /@sha256:[0-9a-f]{64}$/;
const VARIABLE = /^(\w+_IMAGE)=(\S+)$/gm;

/** Returns the image with the digest that its registry has for its tag now. */
export function resolved(image) {
  const [tagged] = image.split('@');
  const args = ['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', tagged];
  const { stdout, stderr, error } = spawnSync('docker', args, { encoding: 'utf8' });
  const found = `${tagged}@${stdout?.trim()}`;
  if (!PINNED.test(found))
    fail(`No registry names a digest for ${tagged}: ${error?.message ?? stderr.trim()}`);
  return found;
}

/** Returns the image if it has a digest, or with the digest of its tag. */
export const pinned = (image) => (PINNED.test(image) ? image : resolved(image));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [named = join(root, 'config', 'compose.env')] = process.argv.slice(2);
  const file = resolve(userFolder, named);
  const pins = readFileSync(file, 'utf8').replace(VARIABLE, (_, name, image) => `${name}=${resolved(image)}`);
  writeFileSync(file, pins);
  for (const [line] of pins.matchAll(VARIABLE)) say(line);
}

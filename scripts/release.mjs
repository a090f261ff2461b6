/**
 * Builds a release from a clean checkout: both packages, SBOMs, checksums, and the container image.
 *
 * node scripts/release.mjs                            leaves the image in the local Docker
 * node scripts/release.mjs --registry HOST/NAME       pushes it, with its provenance and an SBOM of all that it contains
 * node scripts/release.mjs --registry ... --key KEY   and signs the image and the checksums; KEY is cosign's: a file, or a KMS
 * node scripts/release.mjs --dry-run                  prints the commands instead; changes nothing
 * node scripts/release.mjs --out FOLDER               instead of release/
 *
 * NODE_IMAGE is the base image, by default that of the Containerfile. Without a digest of it there is no release.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pinned } from './base-images.mjs';
import { root, userFolder } from './prepare.mjs';
import { USUAL_BASE, writeSboms } from './sbom.mjs';
import { fail, run } from './terminal.mjs';

const { values: options } = parseArgs({
  options: {
    registry: { type: 'string' },
    key: { type: 'string' },
    'dry-run': { type: 'boolean' },
    out: { type: 'string', default: join(root, 'release') },
  },
});
const { registry, key, 'dry-run': isDry } = options;
if (key && !registry) fail('A signature belongs to an image in a registry: add --registry HOST/NAME.');
const folder = resolve(userFolder, options.out);
process.chdir(root);

const git = (...args) => spawnSync('git', args, { encoding: 'utf8' }).stdout.trim();
if (git('status', '--porcelain') !== '') fail('The checkout has changes. Commit or remove them first.');
const revision = git('rev-parse', 'HEAD');
/** The time of the commit, so that another build of it has the same label. */
const created = new Date(Number(git('log', '-1', '--format=%ct')) * 1000).toISOString();
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const base = pinned(process.env.NODE_IMAGE ?? USUAL_BASE);
const [baseName, baseDigest] = base.split('@');
const metadata = join(folder, 'image.json');
const PLATFORMS = 'linux/amd64,linux/arm64';

function step(command, ...args) {
  if (isDry) console.log([command, ...args].join(' '));
  else run(command, args);
}

if (!isDry) {
  rmSync(folder, { recursive: true, force: true });
  writeSboms(folder, base);
}
for (const part of ['engine', 'server']) step(process.execPath, 'scripts/pack.mjs', part, folder);
if (!isDry) writeChecksums();
const each = (flag, values) => Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);
step(
  ...['docker', 'buildx', 'build', '--file', 'config/container/Containerfile', '--metadata-file', metadata],
  ...['--tag', `${registry ?? 'image-compression-service'}:${version}`],
  ...each('--build-arg', { NODE_IMAGE: base, VERSION: version, REVISION: revision }),
  ...each('--label', {
    'org.opencontainers.image.created': created,
    'org.opencontainers.image.base.name': baseName,
    'org.opencontainers.image.base.digest': baseDigest,
  }),
  // The local Docker holds images of its own platform only.
  ...(registry ? ['--platform', PLATFORMS, '--provenance=mode=max', '--sbom=true', '--push'] : ['--load']),
  '.',
);
if (key) sign();

function writeChecksums() {
  const sums = readdirSync(folder).map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
}

/** Signs what was pushed by its digest: a tag may move. */
function sign() {
  const digest = isDry ? 'DIGEST' : JSON.parse(readFileSync(metadata, 'utf8'))['containerimage.digest'];
  const image = `${registry}@${digest}`;
  const sums = join(folder, 'SHA256SUMS');
  const cosign = (command, ...args) => step('cosign', command, '--yes', '--key', key, ...args);
  cosign('sign', image);
  cosign('attest', '--type', 'cyclonedx', '--predicate', join(folder, 'container.cdx.json'), image);
  cosign('sign-blob', '--bundle', `${sums}.bundle`, sums);
}

/** A release is built only from a commit and on a base image with a digest. */
import { existsSync } from 'node:fs';
import { expectEnd } from '../support/ended';
import { config } from './tools';
import { Folder, PROJECT, temporaryFile } from '../support/folders';
import { runScript } from '../support/release-scripts';

const DIGEST = `sha256:${'a1'.repeat(32)}`;
const PUSHED = `sha256:${'b2'.repeat(32)}`;
const git = 'case $1 in log) echo 1764000000;; rev-parse) echo 0123abcd;; esac';
/** Names the digest of any image, and writes the metadata of a build. */
const docker = `
if [ "$2" = imagetools ]; then echo ${DIGEST}; fi
while [ $# -gt 0 ]; do
  if [ "$1" = --metadata-file ]; then echo '{"containerimage.digest":"${PUSHED}"}' >$2; fi
  shift
done`;

it.each([
  [
    'Docker reaches no registry',
    { git, docker: 'echo "no such host" >&2; exit 1' },
    /digest for node:24-trixie-slim: no such host/,
  ],
  ['a registry answers without a digest', { git, docker: 'echo latest' }, /No registry names a digest/],
  ['the checkout has changes', { git: 'echo " M src/main.ts"', docker }, /The checkout has changes/],
])('is refused if %s', (_, programs, message) => {
  const out = temporaryFile('out');
  for (const dry of [[], ['--dry-run']]) {
    const { status, stdout, stderr, calls } = runScript('release.mjs', [...dry, '--out', out], programs);
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
    expect(calls.filter((call) => /build --file/.test(call))).toEqual([]);
    expect(existsSync(out)).toBe(false);
  }
});

it('refuses to sign what no registry holds', () => {
  expectEnd(runScript('release.mjs', ['--key', 'cosign.key'], { git, docker }), 1, /add --registry/);
});

it('prints its commands in a dry run, and changes nothing', () => {
  const out = temporaryFile('out');
  const args = ['--dry-run', '--registry', 'registry.example/ics', '--key', 'cosign.key', '--out', out];
  const { status, stdout, calls } = runScript('release.mjs', args, { git, docker }, `node:24@${DIGEST}`);
  expect(status).toBe(0);
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/pack\.mjs engine /),
    expect.stringMatching(/pack\.mjs server /),
    expect.stringMatching(
      /^docker buildx build .* --platform linux\/amd64,linux\/arm64 --provenance=mode=max --sbom=true --push \.$/,
    ),
    expect.stringMatching(/^cosign sign .* registry\.example\/ics@DIGEST$/),
    expect.stringMatching(/^cosign attest .* --type cyclonedx /),
    expect.stringMatching(/^cosign sign-blob /),
  ]);
  expect(calls.filter((call) => call.startsWith('docker'))).toEqual([]);
  expect(existsSync(out)).toBe(false);
});

it('builds on the resolved base, and signs the digest that was pushed', () => {
  const results = new Folder(temporaryFile('out'));
  const out = results.folder;
  const args = ['--registry', 'registry.example/ics', '--key', 'cosign.key', '--out', out];
  const { status, stderr, calls } = runScript('release.mjs', args, { git, docker, cosign: '' });
  expect([status, stderr]).toEqual([0, expect.anything()]);
  const build = calls.find((call) => call.includes('buildx build')) ?? '';
  for (const part of [
    `--tag registry.example/ics:0.1.0`,
    `--build-arg NODE_IMAGE=node:24-trixie-slim@${DIGEST}`,
    '--build-arg REVISION=0123abcd',
    `--label org.opencontainers.image.base.digest=${DIGEST}`,
    '--label org.opencontainers.image.created=2025-11-24T16:00:00.000Z',
  ])
    expect(build).toContain(part);
  expect(calls.filter((call) => call.startsWith('cosign')).map((call) => call.split(' ').at(-1))).toEqual([
    `registry.example/ics@${PUSHED}`,
    `registry.example/ics@${PUSHED}`,
    results.path('SHA256SUMS'),
  ]);
  const sums = results.program('sha256sum', ['--check', '--strict', 'SHA256SUMS']);
  expect([sums.status, sums.stdout.match(/: OK$/gm)?.length]).toEqual([0, 5]);
  const { components } = results.json('container.cdx.json') as {
    components: { type: string; hashes?: unknown }[];
  };
  expect(components.find(({ type }) => type === 'container')?.hashes).toEqual([
    { alg: 'SHA-256', content: DIGEST.slice(7) },
  ]);
});

it('every base image of Compose is pinned, or none', () => {
  const place = new Folder();
  const file = place.path('compose.env');
  const example = config.text('compose.env.example');
  place.put('compose.env', example);
  const broken = runScript('base-images.mjs', [file], {
    docker: `case $6 in redis*) exit 1;; *) echo ${DIGEST};; esac`,
  });
  expect([broken.status, place.text('compose.env')]).toEqual([1, example]);
  const wanted = example.replace(/^(\w+_IMAGE=.*)$/gm, `$1@${DIGEST}`);
  // The second time, there are digests already.
  for (let i = 0; i < 2; i++) {
    expect(runScript('base-images.mjs', [file], { docker }).status).toBe(0);
    expect(place.text('compose.env')).toBe(wanted);
  }
  expect(wanted.split(DIGEST)).toHaveLength(5);
});

it('has the prebuilt parts of both platforms of the image in the lock file', () => {
  const { packages } = PROJECT.json('package-lock.json') as { packages: object };
  const names = Object.keys(packages).filter((name) => name.includes('node_modules/'));
  const amd64 = names.filter((name) => /-linux-x64(-gnu)?$/.test(name));
  expect(amd64.length).toBeGreaterThan(5);
  expect(names).toEqual(expect.arrayContaining(amd64.map((name) => name.replace('-x64', '-arm64'))));
  // This package brings the binaries of every platform itself.
  const sqlite = 'node_modules/@photostructure/sqlite/prebuilds';
  for (const platform of ['linux-x64', 'linux-arm64'])
    expect(PROJECT.files(`${sqlite}/${platform}`).join()).toMatch(/glibc\.node/);
});

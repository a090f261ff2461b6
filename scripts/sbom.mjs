/**
 * npm run sbom [-- FOLDER]   writes engine.cdx.json, server.cdx.json and container.cdx.json (CycloneDX) into release/
 *
 * npm lists the packages of package-lock.json. Added is what npm does not see: packages that the build bundles, WebAssembly of other
 * projects, the libraries inside sharp's libvips, and the base image.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deliveredPackages, packagesOf, VENDORED } from './generators/notice.mjs';
import { install } from './install.mjs';
import { root, userFolder } from './prepare.mjs';
import { run, say } from './terminal.mjs';

const PARTS = ['engine', 'server', 'container'];

const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const json = (...path) => JSON.parse(read(...path));
const containerfile = read('config', 'container', 'Containerfile');
/** The base image that the container has by default; a tag. */
export const USUAL_BASE = /^ARG NODE_IMAGE=(.*)$/m.exec(containerfile)[1];

function sbomOf(part, baseImage) {
  const lock = json('package-lock.json');
  const { installed, bundled } = deliveredPackages(lock);
  const bom = npmSbom(part, lock);
  // npm 10 lists a package once for each folder that holds it.
  bom.components = [...new Map(bom.components.map((one) => [one['bom-ref'], one])).values()];
  bom.dependencies = [...new Map(bom.dependencies.map((one) => [one.ref, one])).values()];
  if (part === 'container') {
    bom.metadata.component.type = 'container';
    keepInstallable(bom, lock);
  }
  for (const component of bom.components) {
    component.licenses ??= licensed(installed.find(({ name }) => name === component.name).licence);
    const libraries = librariesIn(component.name);
    if (libraries.length > 0) component.components = libraries;
  }
  const added = [
    ...(part === 'engine' ? [] : bundled.map(bundledComponent)),
    ...VENDORED.map(vendoredComponent),
    ...(part === 'container' ? containerComponents(baseImage) : []),
  ];
  // A package that is bundled into the page may be a dependency of the server too.
  const known = new Set(bom.components.map((one) => one['bom-ref']));
  const fresh = added.filter((one) => !known.has(one['bom-ref']));
  bom.components.push(...fresh);
  const [top] = bom.dependencies;
  top.dependsOn = [...new Set([...top.dependsOn, ...added.map((one) => one['bom-ref'])])];
  bom.dependencies.push(...fresh.map((one) => ({ ref: one['bom-ref'], dependsOn: [] })));
  return bom;
}

/**
 * With "--omit dev", npm also leaves out packages that both the service and a development package need: 41 of 255. So it gets a
 * manifest without development dependencies.
 */
function npmSbom(part, lock) {
  const temporary = mkdtempSync(join(tmpdir(), 'ics-sbom-'));
  const engine = json('package.json');
  const { name, version, license, dependencies } =
    part === 'engine' ? engine : json('server', 'package.json');
  // npm takes the name from the folder.
  const folder = join(temporary, name);
  try {
    mkdirSync(folder);
    const formats = part === 'engine' ? {} : json('codec-packages', 'jxl', 'package.json').dependencies;
    const needed = { ...engine.dependencies, ...dependencies, ...formats };
    const manifest = { name, version, license, dependencies: needed };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const placed = Object.entries(lock.packages).filter(
      ([path, { link }]) => /^node_modules/.test(path) && !link,
    );
    const packages = Object.fromEntries([['', manifest], ...placed]);
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
    npm(folder, 'install', '--offline', '--ignore-scripts');
    return JSON.parse(npm(folder, 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application'));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const npm = (cwd, ...args) =>
  run('npm', [...args, '--package-lock-only', '--no-audit'], { cwd, stdio: ['ignore', 'pipe', 2] });

/** Removes the packages that npm does not install in the container: those for other systems and processors, and what only they need. */
function keepInstallable(bom, lock) {
  const fits = (list, value) => list === undefined || list.includes(value);
  const fitting = packagesOf(lock)
    .filter(([, one]) => fits(one.os, 'linux') && fits(one.libc, 'glibc') && fits(one.cpu, process.arch))
    .map(([name, { version }]) => `${name}@${version}`);
  const [top] = bom.dependencies;
  for (const one of bom.dependencies) one.dependsOn = one.dependsOn.filter((ref) => fitting.includes(ref));
  const needs = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  // A set can grow while it is read.
  const kept = new Set([top.ref]);
  for (const ref of kept) for (const one of needs.get(ref)) kept.add(one);
  bom.components = bom.components.filter((component) => kept.has(component['bom-ref']));
  bom.dependencies = bom.dependencies.filter(({ ref }) => kept.has(ref));
}

const licensed = (expression) => [{ expression }];

function bundledComponent({ name, version, licence, integrity }) {
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  const [ref, purl] = [`${name}@${version}`, `pkg:npm/${name.replace('@', '%40')}@${version}`];
  const hashes = [{ alg: 'SHA-512', content }];
  return { type: 'library', 'bom-ref': ref, name, version, purl, hashes, licenses: licensed(licence) };
}

function vendoredComponent({ name, version, licence, source, package: container, files }) {
  return {
    ...{ type: 'library', 'bom-ref': `wasm:${name}`, name, version, licenses: licensed(licence) },
    externalReferences: [{ type: 'vcs', url: source }],
    components: Object.entries(files).map(([file, content]) => {
      const path = container ? `node_modules/${container}/${file}` : file;
      return { type: 'file', name: path, hashes: [{ alg: 'SHA-256', content }] };
    }),
  };
}

/** Returns the libraries that are linked into a package of libvips; of this machine's only, because no other is installed. */
function librariesIn(name) {
  const file = join('node_modules', name, 'versions.json');
  if (!name.startsWith('@img/sharp-libvips-') || !existsSync(join(root, file))) return [];
  return Object.entries(json(file)).map(([name, version]) => ({ type: 'library', name, version }));
}

/** Debian's packages have the versions of the day when the image is built; the scan of the image lists them. */
function containerComponents(baseImage) {
  const [tagged, digest] = baseImage.split('@sha256:');
  const hashes = digest && [{ alg: 'SHA-256', content: digest }];
  const packages = /apt-get install ([^&]*)/.exec(containerfile)[1].match(/(?<!\S)[a-z]\S+/g);
  return [
    { type: 'container', 'bom-ref': `image:${tagged}`, name: tagged, hashes },
    ...packages.map((name) => {
      return { type: 'library', 'bom-ref': `deb:${name}`, name, purl: `pkg:deb/debian/${name}` };
    }),
  ];
}

/** @param {string} baseImage of the container */
export function writeSboms(folder, baseImage) {
  mkdirSync(folder, { recursive: true });
  process.chdir(root);
  install('server', true);
  for (const part of PARTS) {
    const bom = sbomOf(part, baseImage);
    writeFileSync(join(folder, `${part}.cdx.json`), `${JSON.stringify(bom, undefined, 2)}\n`);
    say(`${part}.cdx.json: ${bom.components.length} components`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = join(root, 'release')] = process.argv.slice(2);
  writeSboms(resolve(userFolder, folder), USUAL_BASE);
}

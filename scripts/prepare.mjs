/**
 * Makes a part of a checkout ready to run: installs missing dependencies and rebuilds a stale dist/. If there is nothing to do,
 * it prints nothing and takes a few milliseconds. `node scripts/prepare.mjs PART` does it from the command line.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isBuilt } from './build.mjs';
import { install, PARTS } from './install.mjs';
import { fail } from './terminal.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
/**
 * The folder to which the user's file names are relative. npm runs the scripts of this package in its root, and names the user's
 * folder. In any other folder, that variable belongs to a package which calls this one.
 */
export const userFolder = (process.cwd() === root && process.env.INIT_CWD) || process.cwd();

/** @param {'engine' | 'server' | 'tests'} part what runs afterwards: see install.mjs */
export async function prepare(part) {
  process.chdir(root);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node.js 20.19 or newer is needed; this is ${process.version}.`);
  const wanted = part === 'engine' ? 'engine' : 'server';
  const wasBuilt = isBuilt(wanted);
  install(part, wasBuilt);
  if (!wasBuilt) await build(wanted);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [part] = process.argv.slice(2);
  if (!(part in PARTS)) fail(`Usage: node scripts/prepare.mjs ${Object.keys(PARTS).join('|')}`);
  await prepare(part);
}

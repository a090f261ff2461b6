import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAvailable } from './services';

/** Makes a package in this folder of probing-codec.cjs and an addon for system calls. Returns its path. */
export function probingPackage(folder: string) {
  const path = join(folder, 'package');
  const manifest: unknown = JSON.parse(readFileSync(join(__dirname, 'probing-codec.json'), 'utf8'));
  mkdirSync(path);
  cpSync(join(__dirname, 'probing-codec.cjs'), join(path, 'index.cjs'));
  const about = { name: 'probing-codec', main: 'index.cjs', imageCompression: manifest };
  writeFileSync(join(path, 'package.json'), JSON.stringify(about));
  const addon = join(path, 'system-call.node');
  const options = ['-shared', '-fPIC', '-nostdlib', '-ffreestanding', '-o', addon];
  isAvailable(spawnSync('cc', [...options, join(__dirname, 'system-call.c')]).status === 0, 'a C compiler');
  return path;
}

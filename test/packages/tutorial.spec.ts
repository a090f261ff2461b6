/** Follows docs/adding-a-codec.md word by word in an empty folder, with the packed product. Needs the npm registry. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders';
import { commandBlocks, exampleFile } from './tutorial';

const ROOT = join(__dirname, '..', '..');
const TIMEOUT_MS = 900_000;

it(
  'makes a package whose format the kit accepts and the command line writes, and an engine',
  () => {
    const folder = temporaryFolder();
    const run = (command: string, cwd = folder, env: NodeJS.ProcessEnv = {}) => {
      const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', command], {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, npm_config_audit: 'false', npm_config_prefer_offline: 'true', ...env },
      });
      if (status !== 0) throw new Error(`${command}\n${stdout}\n${stderr}`);
      return stdout;
    };
    run(`npm pack --silent --ignore-scripts --pack-destination '${folder}'`, ROOT);
    const [install, check, use] = commandBlocks;
    run(install);
    for (const name of ['index.js', 'engine.js']) writeFileSync(join(folder, name), exampleFile(name));
    expect(run(check.replace('../image-compression-qoi', folder), ROOT)).toContain('All 9 checks passed.');
    run(use);
    expect(readFileSync(join(folder, 'out', 'sample.qoi')).toString('latin1', 0, 4)).toBe('qoif');
    writeFileSync(join(folder, 'engine.json'), JSON.stringify({ apiVersion: 1, engine: {} }));
    run('npx ics compress node_modules/image-compression-service/examples/sample.jpg -o engine', folder, {
      CODEC_ENGINE: './engine.js',
    });
    expect(readFileSync(join(folder, 'engine', 'sample.jpg')).length).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

/** Follows docs/adding-a-codec.md word by word in an empty folder, with the packed product. Needs the npm registry. */
import { Folder, PROJECT, ROOT } from '../support/folders';
import { commandBlocks, exampleFile } from './tutorial';

const TIMEOUT_MS = 900_000;

it(
  'makes a reader of uploads and a package that the kit accepts and the command line uses, and an engine',
  () => {
    const place = new Folder();
    const { folder } = place;
    const run = (command: string, where = place, more: NodeJS.ProcessEnv = {}) => {
      const env = { ...process.env, npm_config_audit: 'false', npm_config_prefer_offline: 'true', ...more };
      const { status, stdout, stderr } = where.program('bash', ['-e', '-c', command], { env });
      if (status !== 0) throw new Error(`${command}\n${stdout}\n${stderr}`);
      return stdout;
    };
    run(`npm pack --silent --ignore-scripts --pack-destination '${folder}'`, PROJECT);
    for (const name of ['ppm.mjs', 'engine.mjs']) place.put(name, exampleFile(name));
    const printed = commandBlocks.map((commands) =>
      commands.startsWith('npm run')
        ? run(commands.replaceAll('../my-codec', folder), PROJECT)
        : run(commands.replaceAll('../image-compression-service', ROOT)),
    );
    const verdicts = printed.flatMap((text) => /^All \d+ checks passed\.$/m.exec(text) ?? []);
    expect(verdicts).toEqual(['All 8 checks passed.', 'All 9 checks passed.']);
    expect(place.read('out/flat.jpg').toString('hex', 0, 3)).toBe('ffd8ff');
    expect(place.read('out/sample.qoi').toString('latin1', 0, 4)).toBe('qoif');
    place.put('engine.json', JSON.stringify({ apiVersion: 1, engine: {} }));
    run(
      'node_modules/.bin/ics compress node_modules/image-compression-service/examples/sample.jpg -o engine',
      place,
      {
        CODEC_ENGINE: './engine.mjs',
      },
    );
    expect(place.read('engine/sample.jpg').length).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

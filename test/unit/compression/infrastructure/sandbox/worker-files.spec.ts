import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkerFiles } from '../../../../../src/compression/infrastructure/sandbox/worker-files';
import { temporaryFolder } from '../../../../support/folders';

it('lists a link that two packages share once, because bubblewrap refuses to make it twice', () => {
  const folder = temporaryFolder();
  const addPackage = (path: string, dependencies: object) => {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ dependencies }));
  };
  addPackage('packages/shared', {});
  addPackage('node_modules/other', { shared: '1' });
  addPackage('node_modules/format', { shared: '1', other: '1' });
  symlinkSync('../packages/shared', join(folder, 'node_modules', 'shared'));
  const { links } = new WorkerFiles([join(folder, 'node_modules', 'format')]);
  expect([...links]).toEqual([['/modules/1/node_modules/shared', '/modules/1/packages/shared']]);
});

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folders';
import { buildId } from '../../../src/environment/version';

const folder = temporaryFolder();

/** A package as npm installs it: built files, and no stamp. */
function installed(name: string, code: string) {
  const built = join(folder, name);
  mkdirSync(join(built, 'domain'), { recursive: true });
  writeFileSync(join(built, 'domain', 'search.js'), code);
  return built;
}

it('two builds of one version that differ in their code do not share remembered results', () => {
  const first = installed('first', 'exports.steps = 3;');
  cpSync(first, join(folder, 'copy'), { recursive: true });
  expect(buildId(join(folder, 'copy'))).toBe(buildId(first));
  expect(buildId(installed('second', 'exports.steps = 4;'))).not.toBe(buildId(first));
});

it('a build in a checkout is known by its stamp', () => {
  const built = installed('checkout', '');
  writeFileSync(join(built, '.built-from'), 'sources');
  expect(buildId(built)).toBe('sources');
});

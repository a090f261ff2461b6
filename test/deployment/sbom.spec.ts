import { createHash } from 'node:crypto';
import { Validation, Spec } from '@cyclonedx/cyclonedx-library';
import { expectEnd } from '../support/ended';
import { Folder, PROJECT } from '../support/folders';
import { runScript } from '../support/release-scripts';

interface Component {
  readonly type: string;
  readonly name: string;
  readonly version?: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly license?: { readonly id: string }; readonly expression?: string }[];
  readonly components?: readonly Component[];
}
interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

const place = new Folder();
const bomOf = (part: string) => place.json(`${part}.cdx.json`) as Bom;
const names = ({ components }: Bom) =>
  components.map(({ name, version = '' }) => `${name} ${version}`).sort();
const licenceOf = ({ licenses = [] }: Component) =>
  licenses.map(({ license, expression }) => license?.id ?? expression ?? '').join(' AND ');
const lock = PROJECT.json('package-lock.json') as {
  packages: Record<
    string,
    {
      name?: string;
      version: string;
      dev?: boolean;
      link?: boolean;
      integrity?: string;
      dependencies?: object;
    }
  >;
};
const locked = Object.entries(lock.packages)
  .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
  .map(([path, { name, version, integrity = '' }]) => ({
    id: `${name ?? path.slice(path.lastIndexOf('node_modules/') + 13)} ${version}`,
    sha512: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
  }));

beforeAll(() => {
  expectEnd(runScript('sbom.mjs', [place.folder], {}), 0, 'server.cdx.json');
});

it.each(['engine', 'server', 'container'])('of the %s is valid CycloneDX', async (part) => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot5);
  expect(await validator.validate(place.text(`${part}.cdx.json`))).toBeNull();
});

it('has every package that the lock file delivers, with its hash', () => {
  const server = bomOf('server');
  const listed = new Map(server.components.map((one) => [`${one.name} ${one.version ?? ''}`, one]));
  const missing = locked.filter(
    ({ id, sha512 }) => listed.get(id)?.hashes?.some(({ content }) => content === sha512) !== true,
  );
  expect(missing).toEqual([]);
  expect(locked.length).toBeGreaterThan(200);
});

it('has the components and licences of NOTICE.md, and no others', () => {
  const rows = [...PROJECT.text('NOTICE.md').matchAll(/^\| (.*) \|$/gm)]
    .map(([, row]) => row.split('|').map((cell) => cell.trim()))
    .filter(([name]) => name !== 'Component' && !name.startsWith('---'))
    .map(([name, version, licence]) => `${name} ${version.replace('not stated', '')} ${licence}`);
  const listed = bomOf('server').components.map(
    (one) => `${one.name} ${one.version ?? ''} ${licenceOf(one)}`,
  );
  expect(listed.sort()).toEqual(rows.sort());
});

it('has the hash of every WebAssembly file that is installed with the service', () => {
  const files = bomOf('engine').components.flatMap(({ components = [] }) =>
    components.filter(({ type }) => type === 'file'),
  );
  for (const { name, hashes } of files) {
    const content = createHash('sha256').update(PROJECT.read(name)).digest('hex');
    expect([name, hashes]).toEqual([name, [{ alg: 'SHA-256', content }]]);
  }
  const installed = PROJECT.files('node_modules/@jsquash')
    .filter((name) => name.endsWith('.wasm'))
    .map((name) => `node_modules/@jsquash/${name}`);
  const own = ['libdeflate', 'native/jpegli'].map(
    (name) => `src/compression/infrastructure/codecs/${name}.wasm`,
  );
  expect(files.map(({ name }) => name).sort()).toEqual([...installed, ...own].sort());
});

it('of the container has one processor, the base image and the packages that it adds', () => {
  const container = bomOf('container');
  expect(container.metadata.component.type).toBe('container');
  const only = names(container).filter((name) => !names(bomOf('server')).includes(name));
  expect(only).toEqual(['bubblewrap ', 'libjemalloc2 ', 'node:24-trixie-slim ', 'tini ']);
  expect(names(container).filter((name) => /darwin|win32|musl|wasm32/.test(name))).toEqual([]);
});

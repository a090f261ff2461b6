/** THIRD-PARTY-NOTICES.md: what is installed or bundled with the service, and under which licence. */

/** Licences that a company can take without asking its lawyers first; LGPL is explained in the file. */
const ACCEPTED = ['MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', '0BSD', 'LGPL-3.0-or-later'];

/** Packages that name their licence in the old field `licenses`, which npm leaves out of the lock file. */
const READ_BY_HAND = { busboy: 'MIT', streamsearch: 'MIT' };

/** Copied or bundled into dist/ at build time, so delivered with the package although they are development dependencies. */
const BUNDLED = {
  preact: 'the page',
  '@preact/signals': 'the page',
  '@preact/signals-core': 'the page',
  '@panzoom/panzoom': 'the page',
  'client-zip': 'the page',
  '@scalar/api-reference': '`/docs`; [licence](licenses/scalar.txt)',
};

/**
 * @param {object} lock the parsed package-lock.json
 * @returns {string}
 * @throws when a package has a licence that is not accepted
 */
export function thirdPartyNotices(lock) {
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
  const installed = packages.filter(([, { dev }]) => !dev).map(([path, entry]) => component(path, entry));
  const bundled = packages
    .filter(([path]) => path.replace('node_modules/', '') in BUNDLED)
    .map(([path, entry]) => ({
      ...component(path, entry),
      place: BUNDLED[path.replace('node_modules/', '')],
    }));
  const rows = new Map(installed.map((one) => [`${one.name} ${one.version}`, one]));
  return [
    '# Third-party notices',
    '',
    '<!-- Made by "npm run generate" from package-lock.json: change scripts/generators/third-party-notices.mjs. -->',
    '',
    'The components that this service is delivered with, and their licences. The text of a licence is in the folder of its',
    'package in `node_modules`, or where this page links to it.',
    '',
    '## Of note',
    '',
    '- **libvips** and the libraries that sharp ships with it (`@img/sharp-libvips-*`, on Windows `@img/sharp-win32-*`) are',
    '  prebuilt and licensed under **LGPL-3.0-or-later**. The service loads them as shared libraries and changes nothing in them;',
    '  you may replace them. Their sources and own licences: <https://github.com/lovell/sharp-libvips>. A platform installs one of',
    '  these packages, not all.',
    '- **jpegli**, the JPEG encoder, comes as a WebAssembly module under BSD-3-Clause: [licence](licenses/jpegli.txt). This software is',
    '  based in part on the work of the Independent JPEG Group.',
    '- **MozJPEG** (in `@jsquash/jpeg` and `@napi-rs/image`) is under the licences of libjpeg-turbo: IJG, BSD-3-Clause and zlib.',
    '',
    '## Bundled by the build',
    '',
    '| Component | Version | Licence | In |',
    '| --- | --- | --- | --- |',
    ...bundled.map(({ name, version, licence, place }) => `| ${name} | ${version} | ${licence} | ${place} |`),
    `| jpegli | of @samatech/image-opt ${lock.packages['node_modules/@samatech/image-opt'].version} | BSD-3-Clause | the native engine; [licence](licenses/jpegli.txt) |`,
    '',
    '## Installed packages',
    '',
    '| Component | Version | Licence |',
    '| --- | --- | --- |',
    ...[...rows.values()]
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      .map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`),
    '',
  ].join('\n');
}

function component(path, { name: alias, version, license }) {
  const name = alias ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const licence = license ?? READ_BY_HAND[name];
  if (!licence) throw new Error(`${name} ${version} names no licence: read it and add it to READ_BY_HAND.`);
  if (!isAccepted(licence))
    throw new Error(`${name} ${version} has the licence ${licence}, which is not accepted.`);
  return { name, version, licence };
}

/** Of "A OR B" one has to be accepted, of "A AND B" both. */
function isAccepted(expression) {
  const plain = expression.replace(/[()]/g, '');
  if (plain.includes(' OR ')) return plain.split(' OR ').some(isAccepted);
  return plain.split(' AND ').every((licence) => ACCEPTED.includes(licence));
}

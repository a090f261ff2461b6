/** The kit ends checks of packages that do not finish, and says which function it was. */
import type { CheckVerdict } from '../../src/cli/codec/run-kit';
import { readManifest } from '../../src/compression/packages/manifest';
import { formatOf, put, QOI } from './package-folder';

// eslint-disable-next-line @typescript-eslint/no-require-imports
const { runKit } = require('../../dist/cli/codec/run-kit.js') as typeof import('../../src/cli/codec/run-kit');

/** Runs the kit on the package of the tutorial with more code. */
async function verdictsOf(name: string, code: string, limits: { loadMs?: number; stepMs?: number }) {
  const facts = { name: 'qoi', label: 'QOI', mediaType: 'image/qoi', extensions: ['qoi'], hasAlpha: true };
  put(`${name}.json`, formatOf(facts));
  const path = put(`${name}.mjs`, `${QOI}\n${code}`);
  const manifest = readManifest({ apiVersion: 1, format: facts });
  if (typeof manifest === 'string' || !manifest.format) throw new Error('no manifest');
  const verdicts: CheckVerdict[] = [];
  const subject = { kind: 'format', name: path, label: 'QOI', manifest: manifest.format } as const;
  const all = { loadMs: 60_000, stepMs: 60_000, maxUnfinished: 2, ...limits };
  const end = await runKit(subject, (verdict) => verdicts.push(verdict), all).catch(String);
  return { end, reasons: verdicts.map(({ reason }) => reason) };
}

it('kills a call that does not finish, and gives up after two checks', async () => {
  const { end, reasons } = await verdictsOf('endless', 'format.encodeLosslessly = () => { for (;;); };', {
    stepMs: 500,
  });
  const late = '"encodeLosslessly" did not finish within 0.5 s';
  expect(reasons).toEqual([late, late]);
  expect(end).toMatch(/2 checks did not finish; the other \d were not run/);
});

it('says that a promise never settles, for each check', async () => {
  const { reasons } = await verdictsOf('silent', 'format.decode = () => new Promise(() => {});', {});
  const waiting = expect.stringContaining('decode waits for nothing: its promise never settles') as string;
  expect(reasons).toContainEqual(waiting);
});

it('kills a package that does not finish loading', async () => {
  const { end } = await verdictsOf('busy', 'for (;;);', { loadMs: 500 });
  expect(end).toContain('QOI cannot be tested: loading did not finish within 0.5 s.');
});

/** Danger: an expression whose time grows faster than the text, which clients choose. All of src's are run. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expressionsIn, partsOf } from '../support/expressions';

const SOURCES = join(__dirname, '..', '..', 'src');
const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /\.tsx?$/.test(name),
);
const found = files.flatMap((name) => expressionsIn(name, readFileSync(join(SOURCES, name), 'utf8')));

/**
 * Exponential time shows at 24 to 36 characters, on slow and fast machines, and would never end at more. A client can put less than
 * 64 kB into a path or a header.
 */
const LENGTHS = [24, 28, 32, 36, 1_024, 16_384, 65_536];
/** At 16 kB a quadratic expression takes 200 ms and more, a linear one less than 1 ms. */
const MOST_MS = 100;

/** Each part of the expression again and again, behind each beginning of it; then what ends or spoils a match. */
function* hostileTexts(expression: RegExp, length: number): Generator<string> {
  const { beginnings, parts } = partsOf(expression);
  for (const part of parts) {
    const pumped = part.repeat(Math.ceil(length / part.length));
    for (const beginning of beginnings) for (const end of ['\n1!', '/\u0001']) yield beginning + pumped + end;
  }
}

function millisecondsOf(work: () => unknown) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Returns the start of a text that takes too long. A pause of the machine does not come twice. */
function slowText(expression: RegExp) {
  for (const length of LENGTHS) {
    for (const text of hostileTexts(expression, length)) {
      const isSlow = () => millisecondsOf(() => text.replace(expression, '')) > MOST_MS;
      if (isSlow() && isSlow()) return `${length} characters: ${JSON.stringify(text.slice(0, 40))}`;
    }
  }
  return undefined;
}

it.each([/[a-z]+_[0-9a-z]{20,}/gi, /^[0.]*\D*$/, /\bname="\s*\w*\s*$/, /^(?:a+)+$/])(
  'recognizes a slow expression: %s',
  (expression) => {
    expect(slowText(expression)).toBeDefined();
  },
);

it('finds literals, and expressions that are put together', () => {
  const source = "const N = 2;\nconst A = 'b' + `{${N + 1}}`;\nx.replace(new RegExp(`^${A}$`, 'g'), /c/i);";
  expect(
    expressionsIn('a.ts', source).map(({ place, expression }) => `${place} ${String(expression)}`),
  ).toEqual(['a.ts:3 /^b{3}$/g', 'a.ts:3 /c/i']);
  expect(found.length).toBeGreaterThan(80);
});

it('no expression takes long for 64 kB', () => {
  const slow = found.map(({ place, expression }) => [place, slowText(expression)] as const);
  expect(slow.filter(([, text]) => text !== undefined)).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Rule {
  readonly rule: string;
  readonly file: string;
  readonly search: string;
}

const rules = JSON.parse(readFileSync(join(__dirname, 'rules.json'), 'utf8')) as Rule[];

it.each(rules)('$file can be broken: $rule', ({ file, search }) => {
  const source = readFileSync(join(__dirname, '..', '..', 'src', file), 'utf8');
  expect(source.split(search)).toHaveLength(2);
});

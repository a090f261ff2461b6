import { PROJECT } from '../support/folders';

interface Rule {
  readonly rule: string;
  readonly file: string;
  readonly search: string;
}

const rules = PROJECT.json('test/mutants/rules.json') as Rule[];

it.each(rules)('$file can be broken: $rule', ({ file, search }) => {
  expect(PROJECT.text(`src/${file}`).split(search)).toHaveLength(2);
});

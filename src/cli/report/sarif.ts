/**
 * A check's findings as SARIF 2.1.0, for GitHub code scanning and other services: a result for each file. There is no address of
 * the tool, because it has no public page.
 */
import { sep } from 'node:path';
import { VERSION } from '../../environment/version';
import { checkoutPath, type Entry } from './output';

const RULES = {
  smaller: {
    id: 'image-could-be-smaller',
    shortDescription: { text: 'Image could be smaller' },
    fullDescription: { text: 'The image could take fewer bytes and look the same.' },
    help: {
      text: 'Run the same command with --fix to compress it in place, or leave it out with --exclude.',
    },
  },
  failed: {
    id: 'image-cannot-be-checked',
    shortDescription: { text: 'Image cannot be checked' },
    fullDescription: { text: 'The file is named like an image and cannot be read as one.' },
    help: { text: 'Replace the file, or leave it out with --exclude.' },
  },
};
/** GitHub wants one, and an image has no lines. */
const REGION = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };

/** @param isTooMuch whether the check fails because of what could be saved; a file that cannot be checked always fails it */
export function sarifLog(entries: readonly Entry[], isTooMuch: boolean) {
  const results = entries.flatMap(({ annotation, tone, words }) => {
    if (!annotation || !tone) return [];
    const uri = checkoutPath(annotation.path).split(sep).map(encodeURIComponent).join('/');
    const artifactLocation = { uri, uriBaseId: '%SRCROOT%' };
    return {
      ruleId: RULES[tone].id,
      level: tone === 'failed' || isTooMuch ? 'error' : 'note',
      message: { text: words },
      locations: [{ physicalLocation: { artifactLocation, region: REGION } }],
    };
  });
  const driver = { name: 'ics', version: VERSION, rules: Object.values(RULES) };
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return { $schema, version: '2.1.0', runs: [{ tool: { driver }, results }] };
}

/** Real images (CORPUS_DIR, or ../shared/corpus beside the repository); suites that need them are skipped without. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env['CORPUS_DIR'] ?? join(__dirname, '..', '..', '..', 'shared', 'corpus');

export const hasCorpus = existsSync(join(folder, 'MANIFEST.tsv'));
if (!hasCorpus) console.warn(`SKIPPED: no image corpus at ${folder}; set CORPUS_DIR to run this suite.`);

export const corpusFiles = (part: string) => (hasCorpus ? readdirSync(join(folder, part)) : []);
export const readCorpus = (part: string, file: string) => readFileSync(join(folder, part, file));

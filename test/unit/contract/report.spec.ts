import { readFileSync } from 'node:fs';
import { EXPOSED_HEADERS, HEADERS } from '../../../src/contract/headers';
import {
  headerRows,
  isReport,
  OPTIONAL_REPORT,
  readReport,
  REPORT,
  reportHeaders,
  type Report,
} from '../../../src/contract/report';

const TABLE = { ...REPORT, ...OPTIONAL_REPORT };

/** A report whose members are those of the examples. */
const report = {
  format: 'png',
  encodes: 3,
  ...Object.fromEntries(
    headerRows(TABLE).map(({ name, fromText, documented }) => [name, fromText(String(documented.example))]),
  ),
} as unknown as Report & Record<string, unknown>;

describe.each(headerRows(TABLE))('the row $name of the report', ({ name, header, accepts, documented }) => {
  it('is read from its header as it was written', () => {
    const read = readReport((asked) => reportHeaders(report)[asked] ?? null);
    expect(read).toMatchObject({ [name]: report[name] });
  });

  it('is documented, and readable by pages of other origins', () => {
    expect(HEADERS[header]).toEqual(documented);
    expect(EXPOSED_HEADERS).toContain(header);
  });

  it('is checked in messages of workers', () => {
    expect(isReport(report)).toBe(true);
    expect(isReport({ ...report, [name]: undefined })).toBe(false);
    expect(accepts({})).toBe(false);
    expect(isReport({ ...report, [name]: 'other' })).toBe(false);
  });
});

it('leaves out the headers of absent members and of an empty list', () => {
  const { removed, quality, ...rest } = report;
  expect(reportHeaders({ ...rest, removed: [] })).not.toHaveProperty('X-Removed');
  expect(reportHeaders(rest)).not.toHaveProperty('X-Quality');
  expect([removed, quality]).toEqual([['motion-video'], 77]);
});

it('is the only file that a new member changes', () => {
  const followers = [
    'compression/domain/compression-report',
    'compression/infrastructure/process/worker-messages',
    'compression/http/result-response',
    'contract/headers',
    'library/report',
  ];
  const members = ['quality', 'jpegEstimate', 'budget'];
  for (const file of followers) {
    const words = readFileSync(`src/${file}.ts`, 'utf8').match(/\w+/g) ?? [];
    expect(words.filter((word) => members.includes(word))).toEqual([]);
  }
});

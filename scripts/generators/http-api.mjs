/** The generated parts of docs/http-api.md, from the OpenAPI document and the guards of the compress operation. */
import { code, table } from './tables.mjs';

/** What each guard checks, and the codes that it may send. */
const GUARDS = {
  AdmissionGuard: ['Room for another image', ['draining', 'overloaded']],
  ApiKeyGuard: [
    'Credentials',
    [
      'conflicting_credentials',
      'missing_api_key',
      'invalid_api_key',
      'trial_expired',
      'account_suspended',
      'rate_limited',
      'dependency_unavailable',
    ],
  ],
  AccountRateLimitGuard: ['Rate limit of the account', ['rate_limited']],
  RequestedPolicyGuard: ['Options in the query string', ['invalid_request']],
  QuotaGuard: ['Images left, of a quota or a trial', ['quota_exceeded', 'trial_used_up']],
};

/** What follows the guards. */
const AFTER_GUARDS = [
  ['Declared length', ['image_too_large']],
  ['Memory and a place in the queue', ['overloaded']],
  [
    'The form, while it arrives',
    [
      'invalid_multipart',
      'missing_image',
      'unexpected_field',
      'too_many_files',
      'request_timeout',
      'image_too_large',
      'unsupported_media_type',
    ],
  ],
  ['First bytes of the file', ['unsupported_media_type']],
  ['Header of the image', ['undecodable_image', 'too_many_pixels']],
  ['A worker', ['overloaded', 'deadline_exceeded', 'dependency_unavailable', 'draining']],
  [
    'Decoding and compressing',
    ['undecodable_image', 'needs_too_much_memory', 'cannot_convert', 'budget_unreachable'],
  ],
];

/**
 * Returns the generated parts by name.
 *
 * @param {object} document OpenAPI
 * @param {readonly string[]} guards class names of the guards of the compress operation, in order
 * @param {Readonly<Record<string, { description: string }>>} headers every header of the contract
 * @param {Readonly<Record<string, Readonly<Record<string, string>>>>} words values of headers with their meanings, by header
 */
export function httpApiParts(document, guards, headers, words) {
  const responses = responsesOf(document);
  const problems = problemsOf(responses);
  return {
    headers: headerRows(headers),
    words: wordRows(words),
    errors: errorRows(document.components.schemas.Problem.properties.code.enum, problems, responses),
    checks: checkList(guards, problems),
  };
}

function responsesOf(document) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => [path, operation.responses]),
  );
  return [...operations, ['', document['x-other-responses']]].flatMap(([path, byStatus]) =>
    Object.entries(byStatus).map(([status, response]) => ({ path, status: Number(status), response })),
  );
}

function problemsOf(responses) {
  const examples = responses.flatMap(({ response }) =>
    Object.entries(response.content?.['application/problem+json']?.examples ?? {}),
  );
  const problems = new Map();
  for (const [code, { summary, value }] of examples) problems.set(code, { ...value, title: summary });
  return problems;
}

/** Headers of HTTP that mean here what they mean everywhere. */
const STANDARD = /^(Content-|Cache-|Access-|Allow$|Vary$|WWW-|X-Content-)/;

function headerRows(headers) {
  const rows = Object.entries(headers)
    .filter(([name]) => !STANDARD.test(name))
    .map(([name, { description }]) => [code(name), inShort(description)]);
  return table(['Header', 'Meaning'], rows);
}

/** Returns a description without the sentences and lists after its first clause. */
const inShort = (description) => description.replace(/[.:;](?= |$).*/s, '');

/** Returns a row for each value of each header. */
function wordRows(words) {
  const rows = Object.entries(words).flatMap(([header, meanings]) =>
    Object.entries(meanings).map(([value, meaning]) => [code(`${header}: ${value}`), meaning]),
  );
  return table(['Value', 'Meaning'], rows);
}

function errorRows(codes, problems, responses) {
  const rows = codes
    .map((name) => known(problems, name))
    .sort((a, b) => a.status - b.status)
    .map(({ status, code: name, title, ...body }) => {
      const members = ['reason', 'limit', 'actual', 'retry_after', 'renews_at'].filter(
        (member) => member in body,
      );
      const { headers } = responses.find(
        ({ response }) => response.content?.['application/problem+json']?.examples[name],
      ).response;
      const sent = ['WWW-Authenticate', 'Allow', 'Retry-After'].filter((header) => headers[header]);
      return [status, code(name), title, [...members, ...sent].map(code).join(', ')];
    });
  return table(['Status', '`code`', 'Meaning', 'With'], rows);
}

function checkList(guards, problems) {
  const checks = guards.map((name) => {
    if (!GUARDS[name]) throw new Error(`scripts/generators/http-api.mjs does not know the guard ${name}.`);
    return GUARDS[name];
  });
  return [...checks, ...AFTER_GUARDS]
    .map(([check, codes], i) => {
      const sent = codes.map((name) => `${known(problems, name).status} ${code(name)}`);
      return `${i + 1}. ${check}: ${sent.join(', ')}`;
    })
    .join('\n');
}

function known(problems, code) {
  const problem = problems.get(code);
  if (!problem) throw new Error(`No operation of the OpenAPI document sends ${code}.`);
  return problem;
}

/** The generated parts of docs/http-api.md, from the OpenAPI document. */
import { code } from './markdown.mjs';

/**
 * Returns the generated parts by name.
 *
 * @param {object} document OpenAPI
 * @param {Readonly<Record<string, { description: string }>>} headers every header of the contract
 * @param {Readonly<Record<string, Readonly<Record<string, string>>>>} words values of headers with their meanings, by header
 */
export function httpApiParts(document, headers, words) {
  const statuses = statusesOf(document);
  return {
    headers: headerRows(headers),
    words: Object.entries(words).map(wordList).join('\n'),
    errors: errorList(document.components.schemas.Problem.properties.code.enum, statuses),
  };
}

/** Returns the statuses of all problems of the document, by code. */
function statusesOf(document) {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const responses = [...operations.map((operation) => operation.responses), document['x-other-responses']];
  const examples = responses
    .flatMap((byStatus) => Object.values(byStatus))
    .flatMap(({ content }) => Object.values(content?.['application/problem+json']?.examples ?? {}));
  return new Map(examples.map(({ value }) => [value.code, value.status]));
}

/** Headers of HTTP that mean here what they mean everywhere. */
const STANDARD = /^(Content-|Cache-|Access-|Allow$|Vary$|WWW-|X-Content-)/;

/** Returns a list of the headers with the first clauses of their descriptions. */
function headerRows(headers) {
  return Object.entries(headers)
    .filter(([name]) => !STANDARD.test(name))
    .map(([name, { description }]) => `- ${code(name)}: ${description.replace(/[.:;](?= |$).*/s, '')}`)
    .join('\n');
}

/** Returns a list of the values of a header. */
function wordList([header, meanings]) {
  const values = Object.entries(meanings).map(([value, meaning]) => `  - ${code(value)}: ${meaning}`);
  return [`- ${code(header)}`, ...values].join('\n');
}

/** Returns a line of codes for each status. */
function errorList(codes, statuses) {
  for (const name of codes) known(statuses, name);
  const sent = (status) => codes.filter((name) => statuses.get(name) === status).map(code);
  const inOrder = [...new Set(statuses.values())].sort((a, b) => a - b);
  return inOrder.map((status) => `- ${status}: ${sent(status).join(', ')}`).join('\n');
}

/** @throws Error if no operation sends the code */
function known(statuses, name) {
  if (!statuses.has(name)) throw new Error(`No operation of the OpenAPI document sends ${name}.`);
  return name;
}

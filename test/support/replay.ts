/** Checks every response from a service against its OpenAPI document; an undocumented one fails the test. */
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { DocumentedContract, type Answer } from './documented-contract';

const contracts = new Map<number, DocumentedContract>();
const realFetch = globalThis.fetch;
/** Names (DocumentedContract.nameOf) of the responses of this test file so far. */
const producedAnswers = new Set<string>();

export async function replayAgainstDocument(port: number) {
  const response = await realFetch(`http://127.0.0.1:${port}/openapi.json`);
  const contract = new DocumentedContract((await response.json()) as OpenAPIObject);
  contracts.set(port, contract);
  return contract;
}

export function missingAnswers(contract: DocumentedContract) {
  return contract.documented().filter((answer) => !producedAnswers.has(answer));
}

/** @throws when a response is not documented */
export function checkAnswer(port: number, answer: Answer) {
  const contract = contracts.get(port);
  // Preflights are defined by the Fetch standard.
  if (!contract || answer.method === 'OPTIONS' || isThePage(answer) || isTinifys(answer)) return;
  const faults = contract.faultsOf(answer);
  producedAnswers.add(contract.nameOf(answer));
  if (faults.length === 0) return;
  throw new Error(
    [
      `${answer.method} ${answer.path} was answered with something that /openapi.json does not document`,
      '(the files *.openapi.ts):',
      ...faults.map((fault) => `  - ${fault}`),
    ].join('\n'),
  );
}

/** The page and its files are not part of the API; errors about them are. */
function isThePage({ path, status }: Answer) {
  return status < 400 && (['/', '/favicon.ico'].includes(path) || path.startsWith('/assets/'));
}

/** Tinify documents its own API; what is wrong with a request before it is routed belongs to ours. */
function isTinifys({ path, headers }: Answer) {
  return /^\/(shrink$|output\/|keys\/)/.test(path) && headers['content-type'] !== 'application/problem+json';
}

globalThis.fetch = async (input, init) => {
  const response = await realFetch(input, init);
  const request = new URL(input instanceof Request ? input.url : input);
  const port = Number(request.port);
  if (!contracts.has(port)) return response;
  let body: Buffer;
  try {
    body = Buffer.from(await response.clone().arrayBuffer());
  } catch {
    // The service closed the connection; the test learns this from its own copy.
    return response;
  }
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  const headers = Object.fromEntries(response.headers);
  checkAnswer(port, { method, path: request.pathname, status: response.status, headers, body });
  return response;
};

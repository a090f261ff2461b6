/** Parses the responses of a connection and reports what the contract does not define. */

const KNOWN = new Set([200, 201, 204, 400, 401, 403, 404, 405, 408, 409, 413, 415, 417, 422, 429, 431, 503]);

/** Returns the responses without interim ones; the last may be incomplete. @throws Error for invalid ones */
export function readResponses(bytes) {
  const responses = [];
  let at = 0;
  while (at < bytes.length) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd < 0) break;
    const head = bytes.toString('latin1', at, headEnd);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (!status) throw new Error(`no response where one begins: ${head.slice(0, 80)}`);
    at = headEnd + 4;
    if (status < 200) continue;
    if (!KNOWN.has(status)) throw new Error(`status ${status}`);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
    if (/^transfer-encoding/im.test(head)) break;
    const isProblem = /^content-type: application\/problem\+json/im.test(head);
    const isTinifyError = /^content-type: application\/json/im.test(head);
    if (status >= 400 && !isProblem && !isTinifyError)
      throw new Error(`status ${status} without a problem: ${head.slice(0, 300)}`);
    // HEAD and 304 have a length and no body: the next response begins at once.
    const hasBody = !bytes.subarray(at, at + 9).equals(Buffer.from('HTTP/1.1 '));
    const body = bytes.subarray(at, hasBody ? at + length : at);
    const isWhole = hasBody && body.length === length;
    if (isProblem && isWhole) checkProblem(body, status);
    if (isTinifyError && isWhole && status >= 400) checkTinifyError(body);
    if (hasBody) at += length;
    responses.push({ status });
  }
  return responses;
}

function checkProblem(body, status) {
  const problem = JSON.parse(body.toString());
  if (problem.status !== status) throw new Error(`a problem of ${problem.status} with status ${status}`);
  if (!/^[A-Z0-9].*\.$/.test(problem.detail)) throw new Error(`not a sentence: ${problem.detail}`);
}

function checkTinifyError(body) {
  const { error, message } = JSON.parse(body.toString());
  if (!/^[A-Z][A-Za-z ]+$/.test(error)) throw new Error(`not the name of an error: ${error}`);
  if (!/^[A-Z0-9].*\.$/.test(message)) throw new Error(`not a sentence: ${message}`);
}

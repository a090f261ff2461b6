/**
 * Returns the errors of nginx itself, for config/proxy/nginx.conf: each in the format of the service, and in that of
 * Tinify's API for the locations of its clients, which include the second list of error_page.
 *
 * @param {readonly import('../../src/contract/proxy-problems').ProxyProblem[]} problems
 * @param {(problem: import('../../src/contract/problem').Problem) => { status: number, body: object }} tinifyError
 */
export function nginxProblems(problems, tinifyError) {
  return problems
    .flatMap(({ problem, isBeforeUrl }) => {
      const { status, facts } = problem;
      const own = { status, type: 'application/problem+json', body: problem.toBody(ID) };
      const tinify = { ...tinifyError(problem), type: 'application/json' };
      return [
        location(nameOf(problem, isBeforeUrl), facts, own),
        ...(isBeforeUrl ? [] : [location(`@tinify_${problem.code}`, facts, tinify)]),
      ];
    })
    .map((lines) => indented(lines, 4))
    .join('\n\n');
}

/** Returns the directives that lead from statuses of nginx to these locations. */
export function errorPages(problems, { isTinify = false, indent = 4 } = {}) {
  const pages = problems.map(({ problem, statuses, isBeforeUrl = false }) => {
    const own = isTinify && !isBeforeUrl ? `@tinify_${problem.code}` : nameOf(problem, isBeforeUrl);
    return `error_page ${statuses.join(' ')} = ${own};`;
  });
  return indented(pages, indent);
}

/** The variable of nginx that holds the id of the request. */
const ID = '$own_or_new_request_id';

const nameOf = ({ code }, isBeforeUrl) => (isBeforeUrl ? `/.problems/${code}` : `@${code}`);

function location(name, facts, { status, type, body }) {
  const header = (field, value) => `  add_header ${field} ${value} always;`;
  return [
    ...(name.startsWith('/') ? [`location = ${name} {`, '  internal;'] : [`location ${name} {`]),
    `  default_type ${type};`,
    header('X-Request-Id', ID),
    header('Cache-Control', 'no-store'),
    header('X-Content-Type-Options', 'nosniff'),
    ...(facts.allow ? [header('Allow', `"${facts.allow.join(', ')}"`)] : []),
    ...(facts.retryAfter === undefined ? [] : [header('Retry-After', facts.retryAfter)]),
    // nginx reads backslashes and quotes in strings.
    `  return ${status} '${JSON.stringify(body).replace(/[\\']/g, '\\$&')}';`,
    '}',
  ];
}

const indented = (lines, spaces) => lines.map((line) => `${' '.repeat(spaces)}${line}`).join('\n');

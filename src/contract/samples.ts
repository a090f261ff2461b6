/** Code samples of the operations, for curl and for JavaScript. */

/** Stands for the host of the service; the page at /docs puts its own in its place. */
export const EXAMPLE_ORIGIN = 'http://localhost:3000';

/** Stands for the API key; the page at /docs puts the reader's in its place. */
export const EXAMPLE_KEY = 'YOUR_API_KEY';

export interface SampledOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Whether the operation takes an API key, shown as EXAMPLE_KEY. */
  readonly needsKey: boolean;
  /** A JSON body. */
  readonly json?: Readonly<Record<string, string>>;
  /**
   * Sends files in form fields: the name of each by its field. Such a sample tries up to TRIES times: it waits as long as
   * `Retry-After` says while the service is busy or the account is over its limit.
   */
  readonly files?: Readonly<Record<string, string>>;
  /** Saves the response in a file of this name; without it, the sample shows the response. */
  readonly savedAs?: string;
  /** A number in a header of the response that the sample shows: its name, and what it counts. */
  readonly shown?: readonly [header: string, unit: string];
}

/** How often a sample sends its files. */
const TRIES = 5;

/** Seconds before another try where the response does not say. */
const WAIT_S = 5;

export function curl({ method, path, needsKey, json, files, savedAs }: SampledOperation): string {
  const url = `${EXAMPLE_ORIGIN}${path}`;
  const isImplied = method === 'GET' || (json ?? files) !== undefined;
  const fields = Object.entries(files ?? {}).map(([field, name]) => `-F ${field}=@${name}`);
  // It obeys Retry-After.
  const retry = files && `--retry ${TRIES - 1}`;
  return [
    `curl ${/[?&]/.test(url) ? `"${url}"` : url}`,
    ...(isImplied ? [] : [`-X ${method}`]),
    ...(needsKey ? [`-H "Authorization: Bearer ${EXAMPLE_KEY}"`] : []),
    ...(json ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(json)}'`] : []),
    ...(fields.length > 0 ? [fields.join(' ')] : []),
    // Shows the reason if there is no such file. `grep` leaves out the file of an earlier call.
    ...(savedAs
      ? [`-o ${savedAs}`, ['-sS', retry, '--fail-with-body'].join(' '), `|| grep -as '"detail"' ${savedAs}`]
      : retry
        ? [`-sS ${retry}`]
        : []),
  ].join(' \\\n  ');
}

export function javascript(operation: SampledOperation): string {
  const { files, savedAs, shown } = operation;
  const sent = Object.entries(files ?? {});
  return program([
    ...importsOf(operation),
    ...(files ? ['const form = new FormData();'] : []),
    ...sent.map(([field, name]) => `form.append('${field}', await openAsBlob('${name}'), '${name}');`),
    ...(files ? ['', 'let response;', ...tries(operation)] : request(operation, 'const response')),
    'if (!response.ok) throw new Error((await response.json()).detail);',
    savedAs && `await writeFile('${savedAs}', Buffer.from(await response.arrayBuffer()));`,
    shown && `console.log(response.headers.get('${shown[0]}'), '${shown[1]}');`,
    !savedAs && operation.method !== 'DELETE' && 'console.log(await response.text());',
  ]);
}

function importsOf({ files, savedAs }: SampledOperation): string[] {
  const names = [
    ...(files ? ["import { openAsBlob } from 'node:fs';"] : []),
    ...(savedAs ? ["import { writeFile } from 'node:fs/promises';"] : []),
    ...(files ? ["import { setTimeout as wait } from 'node:timers/promises';"] : []),
  ];
  return names.length > 0 ? [...names, ''] : [];
}

function tries(operation: SampledOperation) {
  return [
    `for (let attempt = 1; attempt <= ${TRIES}; attempt++) {`,
    [
      ...request(operation, 'response'),
      'if (response.status !== 429 && response.status !== 503) break;',
      `await wait(1000 * Number(response.headers.get('Retry-After') ?? ${WAIT_S}));`,
    ],
    '}',
  ];
}

function request({ method, path, needsKey, json, files }: SampledOperation, name: string) {
  const headers = [
    ...(needsKey ? [`Authorization: 'Bearer ${EXAMPLE_KEY}'`] : []),
    ...(json ? ["'Content-Type': 'application/json'"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} },`] : []),
    ...(json ? [`body: JSON.stringify(${JSON.stringify(json)}),`] : []),
    ...(files ? ['body: form,'] : []),
  ];
  const start = `${name} = await fetch('${EXAMPLE_ORIGIN}${path}'`;
  return options.length > 0 ? [`${start}, {`, options, '});'] : [`${start});`];
}

type Part = string | readonly Part[] | false | undefined;

/** The lines of a program. Those of an inner list are indented. */
function program(parts: readonly Part[], depth = 0): string {
  return parts
    .filter((part) => part !== false && part !== undefined)
    .map((part) => {
      if (typeof part !== 'string') return program(part, depth + 1);
      return part === '' ? '' : '  '.repeat(depth) + part;
    })
    .join('\n');
}

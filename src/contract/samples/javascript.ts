import {
  EXAMPLE_KEY,
  EXAMPLE_ORIGIN,
  program,
  TRIES,
  WAIT_S,
  type SampledOperation,
} from './sampled-operation';

export function javascript(operation: SampledOperation): string {
  const { files, savedAs, shown } = operation;
  const sent = Object.entries(files ?? {});
  return program(
    [
      ...importsOf(operation),
      ...(files ? ['const form = new FormData();'] : []),
      ...sent.map(([field, name]) => `form.append('${field}', await openAsBlob('${name}'), '${name}');`),
      ...(files ? ['', 'let response;', ...tries(operation)] : request(operation, 'const response')),
      'if (!response.ok) throw new Error((await response.json()).detail);',
      savedAs && `await writeFile('${savedAs}', Buffer.from(await response.arrayBuffer()));`,
      shown && `console.log(response.headers.get('${shown[0]}'), '${shown[1]}');`,
      !savedAs && operation.method !== 'DELETE' && 'console.log(await response.text());',
    ],
    '  ',
  );
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

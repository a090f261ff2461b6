import {
  EXAMPLE_KEY,
  EXAMPLE_ORIGIN,
  program,
  TRIES,
  WAIT_S,
  type SampledOperation,
} from './sampled-operation';

export function python(operation: SampledOperation): string {
  const { files, savedAs, shown, method } = operation;
  const opened = Object.entries(files ?? {}).map(
    ([field, name]) => `"${field}": open("${name}", "rb").read(),`,
  );
  return program(
    [
      ...(files ? ['import time', ''] : []),
      'import requests',
      '',
      ...(files ? ['files = {', opened, '}', ...tries(operation)] : request(operation)),
      'if not response.ok:',
      ['raise SystemExit(response.json()["detail"])'],
      savedAs && `open("${savedAs}", "wb").write(response.content)`,
      shown && `print(response.headers["${shown[0]}"], "${shown[1]}")`,
      !savedAs && method !== 'DELETE' && 'print(response.text)',
    ],
    '    ',
  );
}

function tries(operation: SampledOperation) {
  return [
    `for attempt in range(${TRIES}):`,
    [
      ...request(operation),
      'if response.status_code not in (429, 503):',
      ['break'],
      `time.sleep(int(response.headers.get("Retry-After", ${WAIT_S})))`,
    ],
  ];
}

function request({ method, path, needsKey, json, files }: SampledOperation) {
  return [
    `response = requests.${method.toLowerCase()}(`,
    [
      `"${EXAMPLE_ORIGIN}${path}",`,
      needsKey && `headers={"Authorization": "Bearer ${EXAMPLE_KEY}"},`,
      json && `json=${JSON.stringify(json)},`,
      files && 'files=files,',
    ],
    ')',
  ];
}

import {
  EXAMPLE_KEY,
  EXAMPLE_ORIGIN,
  program,
  TRIES,
  WAIT_S,
  type SampledOperation,
} from './sampled-operation';

export function php(operation: SampledOperation): string {
  const { files, savedAs, shown, method } = operation;
  return program(
    [
      '<?php',
      ...(files ? tries(operation) : request(operation)),
      'if ($status >= 400) throw new RuntimeException(json_decode($body)->detail);',
      savedAs && `file_put_contents('${savedAs}', $body);`,
      shown && `echo $headers['${shown[0].toLowerCase()}'], " ${shown[1]}\\n";`,
      !savedAs && method !== 'DELETE' && 'echo $body, "\\n";',
    ],
    '    ',
  );
}

function tries(operation: SampledOperation) {
  return [
    `for ($attempt = 1; $attempt <= ${TRIES}; $attempt++) {`,
    [
      '$headers = [];',
      ...request(operation),
      'if ($status !== 429 && $status !== 503) break;',
      `sleep((int) ($headers['retry-after'] ?? ${WAIT_S}));`,
    ],
    '}',
  ];
}

function request({ method, path, needsKey, json, files }: SampledOperation) {
  const headers = [
    ...(needsKey ? [`'Authorization: Bearer ${EXAMPLE_KEY}'`] : []),
    ...(json ? ["'Content-Type: application/json'"] : []),
  ];
  const fields = Object.entries(files ?? {}).map(([field, name]) => `'${field}' => new CURLFile('${name}')`);
  return [
    `$curl = curl_init('${EXAMPLE_ORIGIN}${path}');`,
    'curl_setopt_array($curl, [',
    [
      method !== 'GET' && !files && !json && `CURLOPT_CUSTOMREQUEST => '${method}',`,
      headers.length > 0 && `CURLOPT_HTTPHEADER => [${headers.join(', ')}],`,
      json && `CURLOPT_POSTFIELDS => '${JSON.stringify(json)}',`,
      files && `CURLOPT_POSTFIELDS => [${fields.join(', ')}],`,
      'CURLOPT_RETURNTRANSFER => true,',
      ...(files ? HEADERS : []),
    ],
    ']);',
    '$body = curl_exec($curl);',
    'if ($body === false) throw new RuntimeException(curl_error($curl));',
    '$status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);',
  ];
}

/** Reads the headers of the response, by names in lower case. */
const HEADERS = [
  'CURLOPT_HEADERFUNCTION => function ($curl, $line) use (&$headers) {',
  [
    "[$name, $value] = explode(':', $line, 2) + [1 => ''];",
    '$headers[strtolower($name)] = trim($value);',
    'return strlen($line);',
  ],
  '},',
] as const;

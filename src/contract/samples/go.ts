import {
  EXAMPLE_KEY,
  EXAMPLE_ORIGIN,
  program,
  TRIES,
  WAIT_S,
  type SampledOperation,
} from './sampled-operation';

export function go(operation: SampledOperation): string {
  const { files } = operation;
  return program(
    [
      'package main',
      '',
      'import (',
      importsOf(operation).map((name) => `"${name}"`),
      ')',
      '',
      'func main() {',
      files
        ? [
            ...form(files),
            '',
            'for attempt := 1; ; attempt++ {',
            [
              ...request(operation, 'bytes.NewReader(form.Bytes())'),
              ...AGAIN,
              ...answer(operation),
              'return',
            ],
            '}',
          ]
        : [...request(operation, bodyOf(operation)), ...answer(operation)],
      '}',
      '',
      'func check(err error) {',
      ['if err != nil {', ['log.Fatal(err)'], '}'],
      '}',
    ],
    '\t',
  );
}

function importsOf({ files, json, savedAs, shown, method }: SampledOperation): string[] {
  const isShown = shown !== undefined || (!savedAs && method !== 'DELETE');
  return [
    ...(files ? ['bytes', 'mime/multipart', 'strconv', 'time'] : []),
    ...(isShown ? ['fmt'] : []),
    ...(files || savedAs ? ['os'] : []),
    ...(json ? ['strings'] : []),
    'io',
    'log',
    'net/http',
  ].toSorted((a, b) => (a < b ? -1 : 1));
}

function form(files: Readonly<Record<string, string>>) {
  // As gofmt aligns them.
  const width = Math.max(...Object.keys(files).map(({ length }) => length)) + 3;
  return [
    'var form bytes.Buffer',
    'writer := multipart.NewWriter(&form)',
    'for field, name := range map[string]string{',
    Object.entries(files).map(([field, name]) => `${`"${field}":`.padEnd(width)} "${name}",`),
    '} {',
    [
      'file, err := os.ReadFile(name)',
      'check(err)',
      'part, err := writer.CreateFormFile(field, name)',
      'check(err)',
      'part.Write(file)',
    ],
    '}',
    'writer.Close()',
  ];
}

function bodyOf({ json }: SampledOperation): string {
  return json ? `strings.NewReader(\`${JSON.stringify(json)}\`)` : 'nil';
}

function request({ method, path, needsKey, json, files }: SampledOperation, body: string) {
  return [
    `request, err := http.NewRequest("${method}", "${EXAMPLE_ORIGIN}${path}", ${body})`,
    'check(err)',
    needsKey && `request.Header.Set("Authorization", "Bearer ${EXAMPLE_KEY}")`,
    json && 'request.Header.Set("Content-Type", "application/json")',
    files && 'request.Header.Set("Content-Type", writer.FormDataContentType())',
    'response, err := http.DefaultClient.Do(request)',
    'check(err)',
    'body, err := io.ReadAll(response.Body)',
    'check(err)',
    'response.Body.Close()',
  ];
}

const AGAIN = [
  'status := response.StatusCode',
  `if (status == 429 || status == 503) && attempt < ${TRIES} {`,
  [
    'seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))',
    'if err != nil {',
    [`seconds = ${WAIT_S}`],
    '}',
    'time.Sleep(time.Duration(seconds) * time.Second)',
    'continue',
  ],
  '}',
] as const;

function answer({ method, savedAs, shown }: SampledOperation) {
  return [
    'if response.StatusCode >= 400 {',
    ['log.Fatal(string(body))'],
    '}',
    savedAs && `check(os.WriteFile("${savedAs}", body, 0o644))`,
    shown && `fmt.Println(response.Header.Get("${shown[0]}"), "${shown[1]}")`,
    !savedAs && method !== 'DELETE' && 'fmt.Println(string(body))',
  ];
}

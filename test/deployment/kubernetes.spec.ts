import { cpSync } from 'node:fs';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';
import { Folder, PROJECT } from '../support/folders';
import { readSettings } from '../../src/settings/settings';
import { environment as imageEnvironment, user } from './containerfile';
import { knownVariables, neededBytes, stopMs } from './sizing';
import { hasPrograms } from '../support/services';
import { config, run } from './tools';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly spec?: unknown;
}

const kubernetes = new Folder(config.path('kubernetes'));
const readManifests = (file: string) =>
  parseAllDocuments(kubernetes.text(file)).map((document) => document.toJS() as Manifest);
const base = readManifests('base/service.yaml');
const [scaler] = readManifests('autoscaler/horizontal-pod-autoscaler.yaml');
const all = [...base, scaler];
const ofKind = (kind: string) => {
  const found = base.find((manifest) => manifest.kind === kind);
  if (!found) throw new Error(`There is no ${kind}`);
  return found;
};
const { data = {} } = ofKind('ConfigMap');
const example = kubernetes.text('example/kustomization.yaml');
/** The contents of secret.env in the comment of the example. */
const secrets = Object.fromEntries(
  [...example.matchAll(/^# .* ([A-Z_]+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
);
const settings = readSettings({ ...imageEnvironment, ...data, ...secrets });

interface PodTemplate {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly containers: readonly {
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly resources: { readonly requests: { cpu: string }; readonly limits: { memory: string } };
    readonly [probe: `${string}Probe`]: { readonly timeoutSeconds: number };
  }[];
}
const deployment = ofKind('Deployment').spec as {
  readonly template: {
    readonly spec: PodTemplate;
    readonly metadata: { annotations: Record<string, string> };
  };
};
const pod = deployment.template.spec;
const [container] = pod.containers;

it.each(all)('$kind follows the schema of the Kubernetes API', async (manifest) => {
  await expect(validate(manifest)).resolves.toBeUndefined();
});

it('the schema finds a value of the wrong type', async () => {
  const wrong = structuredClone(ofKind('Deployment')) as unknown as { spec: { replicas: unknown } };
  wrong.spec.replicas = 'three';
  await expect(validate(wrong as unknown as Manifest)).rejects.toThrow(/replicas/);
});

it('no manifest has a key that the Kubernetes API does not know', () => {
  expect(unknownKeys(all)).toEqual([]);
  const misspelt = JSON.parse(
    JSON.stringify(ofKind('Deployment')).replace('"livenessProbe"', '"livenesProbe"'),
  ) as Manifest;
  expect(unknownKeys([misspelt]).join()).toContain('livenesProbe');
});

it('the service reads and accepts the settings', () => {
  const known = knownVariables();
  expect(Object.keys(secrets)).toEqual(['DATABASE_URL', 'REDIS_URL']);
  for (const name of Object.keys({ ...data, ...secrets })) expect(known).toContain(name);
  expect(settings.accounts).toMatchObject({ signup: { mode: 'closed' }, apiKeysFile: '/keys/api-keys' });
});

it('a pod has the memory and the cores that its settings need', () => {
  const { requests, limits } = container.resources;
  expect(parseInt(limits.memory) * 1024 * 1024).toBeGreaterThanOrEqual(neededBytes(settings));
  expect(limits.memory).toMatch(/^\d+Mi$/);
  expect(Number(requests.cpu)).toBe(settings.compression.pool.workers);
});

it('the termination grace period and the probe timeouts are long enough', () => {
  expect(pod.terminationGracePeriodSeconds * 1000).toBeGreaterThan(stopMs(settings));
  expect(settings.http.shutdownGraceMs).toBeGreaterThan(0);
  expect(container['readinessProbe'].timeoutSeconds).toBeGreaterThan(2);
});

it('ports and user are those of the service and its container file', () => {
  const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
  expect(ports).toEqual({ http: settings.http.port, metrics: settings.observability.metricsPort });
  expect(deployment.template.metadata.annotations['prometheus.io/port']).toBe(
    String(settings.observability.metricsPort),
  );
  const { runAsUser, runAsGroup } = pod.securityContext;
  expect(`${runAsUser}:${runAsGroup}`).toBe(user);
});

it('the autoscaler needs no metrics but those of metrics-server, so it also scales down', () => {
  const { metrics } = scaler.spec as { readonly metrics: readonly { readonly type: string }[] };
  expect(metrics.map(({ type }) => type)).toEqual(['Resource']);
});

it('the network policy lets databases outside of the cluster through', () => {
  const { egress } = ofKind('NetworkPolicy').spec as {
    readonly egress: readonly {
      readonly to?: unknown;
      readonly ports: readonly { readonly port: number }[];
    }[];
  };
  expect(egress.filter(({ to }) => !to).flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([
    5432, 6379,
  ]);
});

function kustomized(change: (text: string) => string = (text) => text) {
  const copy = new Folder();
  cpSync(kubernetes.folder, copy.folder, { recursive: true });
  copy.put('example/kustomization.yaml', change(example));
  copy.put('example/secret.env', 'DATABASE_URL=postgres://a\n');
  copy.put('example/api-keys', `website ${'k'.repeat(32)}\n`);
  const { status, output } = run('kubectl', 'kustomize', copy.path('example'));
  expect({ status, output }).toMatchObject({ status: 0 });
  return parseAllDocuments(output).map((document) => document.toJS() as Manifest);
}
const withKubectl = hasPrograms('kubectl') ? it : it.skip;

withKubectl('the example has the base, the autoscaler and two secrets, which the pods use', () => {
  const manifests = kustomized();
  const kinds = [...all.map(({ kind }) => kind), 'Secret', 'Secret'];
  expect(manifests.map(({ kind }) => kind).sort()).toEqual(kinds.sort());
  const text = JSON.stringify(manifests.find(({ kind }) => kind === 'Deployment'));
  const names = manifests.filter(({ kind }) => kind === 'Secret').map(({ metadata }) => metadata.name);
  for (const name of names) expect(text).toContain(`"${name}"`);
  expect(text).toContain('registry.example.com/image-compression-service:0.1.0');
});

withKubectl('the component "sandbox" sets the seccomp profile and requires the sandbox', () => {
  const manifests = kustomized((text) => text.replace('# - ../sandbox', '- ../sandbox'));
  const text = JSON.stringify(manifests);
  expect(text).toContain('"seccompProfile":{"localhostProfile":"image-compression.json","type":"Localhost"}');
  expect(text).toContain('"WORKER_SANDBOX":"required"');
});

async function validate(manifest: Manifest) {
  const model = (await import(`kubernetes-models/${manifest.apiVersion}`)) as Record<
    string,
    new (data: Manifest) => { validate(): void }
  >;
  new model[manifest.kind](manifest).validate();
}

/** Returns the compiler's errors for a literal of the API's types; the schema accepts unknown keys. */
function unknownKeys(candidates: readonly Manifest[]) {
  const source = candidates.map((manifest, i) => {
    const { apiVersion, kind } = manifest;
    return `import type { I${kind} as T${i} } from 'kubernetes-models/${apiVersion}';\nexport const m${i}: T${i} = ${JSON.stringify(manifest)};`;
  });
  const file = PROJECT.path(`node_modules/.manifests-${process.pid}.ts`);
  const host = ts.createCompilerHost({});
  const read = host.readFile.bind(host);
  host.readFile = (name) => (name === file ? source.join('\n') : read(name));
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => name === file || exists(name);
  const getSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, source.join('\n'), ts.ScriptTarget.ES2022)
      : getSource(name, ...rest);
  const program = ts.createProgram(
    [file],
    {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
    },
    host,
  );
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

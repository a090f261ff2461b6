import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import { readSettings } from '../../src/settings/settings';
import { environment as imageEnvironment, user } from './containerfile';
import { knownVariables, neededBytes, stopMs } from './sizing';
import { config, hasPrograms, root, run } from './tools';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
  readonly spec?: unknown;
}

const folder = join(config, 'kubernetes');
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
const manifests = Object.fromEntries(
  files.map((file) => [file, parse(readFileSync(join(folder, file), 'utf8')) as Manifest]),
);
/** Kinds that are not part of Kubernetes itself. */
const FOREIGN = new Set(['kustomization.yaml', 'pod-monitor.yaml']);
const own = files.filter((file) => !FOREIGN.has(file));
const { data = {} } = manifests['config-map.yaml'];
const { stringData = {} } = manifests['secret.example.yaml'];
const settings = readSettings({ ...imageEnvironment, ...data, ...stringData });

interface PodTemplate {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly containers: readonly {
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly resources: { readonly requests: { cpu: string }; readonly limits: { memory: string } };
    readonly [probe: `${string}Probe`]: { readonly timeoutSeconds: number };
  }[];
}
const deployment = manifests['deployment.yaml'].spec as {
  readonly template: {
    readonly spec: PodTemplate;
    readonly metadata: { annotations: Record<string, string> };
  };
};
const pod = deployment.template.spec;
const [container] = pod.containers;

it.each(own)('%s follows the schema of the Kubernetes API', async (file) => {
  await expect(validate(manifests[file])).resolves.toBeUndefined();
});

it('the schema finds a value of the wrong type', async () => {
  const wrong = structuredClone(manifests['deployment.yaml']) as unknown as { spec: { replicas: unknown } };
  wrong.spec.replicas = 'three';
  await expect(validate(wrong as unknown as Manifest)).rejects.toThrow(/replicas/);
});

it('no manifest has a key that the Kubernetes API does not know', () => {
  expect(unknownKeys(own.map((file) => manifests[file]))).toEqual([]);
  // An unknown key is detected at any depth.
  const misspelt = JSON.parse(
    JSON.stringify(manifests['deployment.yaml']).replace('"livenessProbe"', '"livenesProbe"'),
  ) as Manifest;
  expect(unknownKeys([misspelt]).join()).toContain('livenesProbe');
});

it('the service reads and accepts the settings', () => {
  const known = knownVariables();
  for (const name of [...Object.keys(data), ...Object.keys(stringData)]) {
    if (!name.startsWith('OTEL_')) expect(known).toContain(name);
  }
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

(hasPrograms('kubectl') ? it : it.skip)('kustomize includes everything except the example', () => {
  const { status, output } = run('kubectl', 'kustomize', folder);
  expect({ status, output }).toMatchObject({ status: 0 });
  const kinds = [...output.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind).sort();
  const left = new Set(['secret.example.yaml', ...FOREIGN]);
  expect(kinds).toEqual(
    files
      .filter((file) => !left.has(file))
      .map((file) => manifests[file].kind)
      .sort(),
  );
});

(hasPrograms('kubectl') ? it : it.skip)(
  'the component "sandbox" sets the seccomp profile and requires the sandbox',
  () => {
    const copy = mkdtempSync(join(tmpdir(), 'ics-kubernetes-'));
    cpSync(folder, copy, { recursive: true });
    appendFileSync(join(copy, 'kustomization.yaml'), 'components: [sandbox]\n');
    const { status, output } = run('kubectl', 'kustomize', copy);
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(output).toMatch(/seccompProfile:\n +localhostProfile: image-compression\.json\n +type: Localhost/);
    expect(output).toMatch(/^ +WORKER_SANDBOX: required$/m);
  },
);

async function validate(manifest: Manifest): Promise<void> {
  const model = (await import(`kubernetes-models/${manifest.apiVersion}`)) as Record<
    string,
    new (data: Manifest) => { validate(): void }
  >;
  new model[manifest.kind](manifest).validate();
}

/**
 * The schema accepts unknown keys, like the API. The compiler rejects them in a literal of the API's types; this
 * returns its errors.
 */
function unknownKeys(candidates: readonly Manifest[]): string[] {
  const source = candidates.map((manifest, i) => {
    const { apiVersion, kind } = manifest;
    return `import type { I${kind} as T${i} } from 'kubernetes-models/${apiVersion}';\nexport const m${i}: T${i} = ${JSON.stringify(manifest)};`;
  });
  // Beside node_modules, so that packages resolve.
  const file = join(root, 'node_modules', `.manifests-${process.pid}.ts`);
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

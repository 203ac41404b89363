// The chart, rendered by Helm and decoded by the types of Kubernetes. Without Go, its tests are skipped.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { Environment } from '../../schema/config/environment.ts';
import {
  buildRenderer,
  chart,
  type KubernetesObject,
  type Render,
} from '../support/chart/render.ts';

// Before the tests are collected, so that a machine that can't have it skips them by name.
const built = await buildRenderer().catch((error: Error) => error);
if (built instanceof Error) console.warn(`The chart can't be rendered here: ${built.message}`);
const render: Render = (values) => {
  if (built instanceof Error) throw built;
  return built(values);
};

const values = {
  image: { repository: 'registry.example.com/fanfare' },
  secret: 'fanfare-secret',
  publicUrl: 'https://fanfare.example.com',
  temporal: { address: 'temporal:7233' },
  mediaUrl: 's3://media?region=eu-central-1',
};

function renderAll(change: object = {}): KubernetesObject[] {
  const { error, lint, objects } = render({ ...values, ...change });
  expect(error).toBeUndefined();
  expect(lint.filter((message) => !message.startsWith('[INFO]'))).toEqual([]);
  return objects;
}

const namesOf = (objects: KubernetesObject[]) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();

const podsOf = (objects: KubernetesObject[]) =>
  objects
    .filter(({ kind }) => ['Deployment', 'Job'].includes(kind))
    .map(({ spec }) => spec.template.spec);

test('has the version of the package', () => {
  const { version, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'));
  expect({ version, appVersion }).toEqual({
    version: packageJson.version,
    appVersion: packageJson.version,
  });
});

test('has a schema of every value', () => {
  const read = (name: string) => parse(readFileSync(join(chart, name), 'utf8'));
  const { global, ...described } = read('values.schema.json').properties;
  expect(Object.keys(described)).toEqual(Object.keys(read('values.yaml')));
  expect(global).toBeDefined();
});

describe.skipIf(built instanceof Error)('the chart', () => {
  test('has both roles, a hook that migrates, a service and an account', () => {
    const objects = renderAll();
    expect(namesOf(objects)).toEqual([
      'Deployment fanfare-api',
      'Deployment fanfare-worker',
      'Job fanfare-migrate',
      'Service fanfare',
      'ServiceAccount fanfare',
    ]);
    const job = objects.find(({ kind }) => kind === 'Job');
    expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(podsOf(objects).map(({ containers }) => containers[0].args)).toEqual(
      expect.arrayContaining([['api'], ['worker'], ['migrate']]),
    );
  });

  test('refuses to render without a secret, and names every value that is missing', () => {
    const { error, objects } = render({ ...values, secret: '' });
    expect(error).toMatch(/Set these values: secret\. values\.yaml describes them\./);
    expect(objects).toEqual([]);
    expect(render({}).error).toMatch(
      /Set these values: image\.repository, secret, publicUrl, temporal\.address, mediaUrl\./,
    );
    expect(render({ ...values, mediaUrl: 'file:///media' }).error).toMatch(/must be a bucket/);
  });

  test.each([
    [{ image: { ...values.image, tag: 20261127 } }, "at '/image/tag': got number, want string"],
    [{ secret: 12345 }, "at '/secret': got number, want string"],
    [{ image: null }, "at '': missing property 'image'"],
    [{ secrt: 'fanfare' }, "additional properties 'secrt' not allowed"],
    [{ ingress: { hosts: [] } }, "at '/ingress': additional properties 'hosts' not allowed"],
    [{ service: { port: 0 } }, "at '/service/port': minimum"],
    [
      { env: { FANFARE_MEDIA_MAX_BYTES: 1073741824 } },
      "at '/env/FANFARE_MEDIA_MAX_BYTES': got number, want string",
    ],
    [{ env: { lower: 'a' } }, "at '/env': additional properties 'lower' not allowed"],
  ])('refuses %j, and names the path', (change, message) => {
    const { error, objects } = render({ ...values, ...change });
    expect(error).toContain(message);
    expect(objects).toEqual([]);
  });

  test('refuses variables in env that it sets itself', () => {
    const [{ containers }] = podsOf(renderAll());
    const names: string[] = containers[0].env.map(({ name }: { name: string }) => name);
    expect(names).toContain('FANFARE_PORT');
    const plain = names.map((name) => name.replace(/_FILE$/, ''));
    for (const name of [...plain, ...plain.map((each) => `${each}_FILE`)]) {
      expect(render({ ...values, env: { [name]: '9' } }).error).toContain(`at '/env/${name}': `);
    }
  });

  test('keeps secrets in files, and gives Fanfare only variables that it reads', () => {
    const objects = renderAll({ env: { FANFARE_MAX_TARGETS: '10' } });
    for (const { containers, volumes } of podsOf(objects)) {
      const [{ env, volumeMounts }] = containers;
      const names = env.map(({ name }: { name: string }) => name.replace(/_FILE$/, ''));
      expect(names.filter((name: string) => !(name in Environment.shape))).toEqual([]);
      expect(names).toContain('FANFARE_MAX_TARGETS');
      expect(volumes[0].secret.secretName).toBe('fanfare-secret');
      const [secret] = volumeMounts;
      for (const { name, value } of env) {
        if (name.endsWith('_FILE')) expect(value.startsWith(`${secret.mountPath}/`)).toBe(true);
        else expect(name).not.toMatch(/DATABASE_URL|VAULT|TOKEN/);
      }
    }
  });

  test('runs pods without rights, with one folder to write to', () => {
    for (const { containers, securityContext, volumes, automountServiceAccountToken } of podsOf(
      renderAll(),
    )) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(automountServiceAccountToken).toBe(false);
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      const image = readFileSync(join(chart, '../../Dockerfile'), 'utf8');
      const [, folder] = /^VOLUME (\S+)$/m.exec(image)!;
      const writable = containers[0].volumeMounts.filter(
        ({ readOnly }: { readOnly?: boolean }) => !readOnly,
      );
      expect(writable).toEqual([{ name: 'data', mountPath: folder }]);
      expect(volumes).toContainEqual({ name: 'data', emptyDir: {} });
    }
  });

  test('probes the port that each role answers on', () => {
    const deployments = renderAll().filter(({ kind }) => kind === 'Deployment');
    for (const { metadata, spec } of deployments) {
      const [container] = spec.template.spec.containers;
      const variable = metadata.name.endsWith('api') ? 'FANFARE_PORT' : 'FANFARE_WORKER_PORT';
      const { value } = container.env.find(({ name }: { name: string }) => name === variable);
      expect(container.ports).toEqual([{ name: 'http', containerPort: Number(value) }]);
      const { startupProbe, livenessProbe, readinessProbe } = container;
      expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThanOrEqual(
        180,
      );
      expect(livenessProbe).toMatchObject({
        httpGet: { path: '/livez', port: 'http' },
        timeoutSeconds: 5,
      });
      expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' });
    }
  });

  test('makes an ingress for the host of the public URL, and uses an account that exists', () => {
    const objects = renderAll({
      ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { a: 'b' } },
      serviceAccount: { name: 'existing' },
    });
    const ingress = objects.find(({ kind }) => kind === 'Ingress');
    expect(ingress.spec.rules[0].host).toBe('fanfare.example.com');
    expect(ingress.spec.tls).toEqual([{ hosts: ['fanfare.example.com'], secretName: 'tls' }]);
    expect(objects.find(({ kind }) => kind === 'ServiceAccount')).toBeUndefined();
    for (const pod of podsOf(objects)) expect(pod.serviceAccountName).toBe('existing');
  });

  test('takes the optional values', () => {
    const objects = renderAll({
      imagePullSecrets: [{ name: 'pull' }],
      envFrom: [{ secretRef: { name: 'more' } }],
      podAnnotations: { 'example.com/a': 'b' },
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      serviceAccount: { annotations: { role: 'media' } },
    });
    for (const pod of podsOf(objects)) {
      expect(pod.imagePullSecrets).toEqual([{ name: 'pull' }]);
      expect(pod.containers[0].envFrom).toEqual([{ secretRef: { name: 'more' } }]);
      expect(pod.nodeSelector).toEqual({ 'kubernetes.io/arch': 'amd64' });
      expect(pod.tolerations).toEqual([{ key: 'a', operator: 'Exists' }]);
    }
  });
});

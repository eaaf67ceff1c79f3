import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { SECRET_SETTINGS, SETTINGS } from '../../src/config/setting-tree.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';

const FOLDER = resolve('docs/deploy/kubernetes');
const APPLY = join(FOLDER, 'apply.sh');
const FILES = [...readdirSync(FOLDER).map((name) => join(FOLDER, name)), resolve('docs/deploy/cronjob.yaml')];

interface Probe {
  readonly exec?: { readonly command: readonly string[] };
  readonly httpGet?: { readonly path: string; readonly port: number };
}

interface Container {
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly containerPort: number }[];
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly securityContext: object;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}

interface Pod {
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly volumes: readonly Readonly<Record<string, { readonly name?: string } | string>>[];
}

const OBJECTS = FILES.filter((path) => path.endsWith('.yaml')).flatMap((path) =>
  parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  }),
);
const PODS = OBJECTS.flatMap(({ kind, metadata, spec }) => {
  const pod: Pod | undefined = (spec.jobTemplate?.spec ?? spec).template?.spec;
  const container = pod?.containers[0];
  return pod && container ? [{ name: `${kind} ${metadata.name}`, kind, spec, pod, container }] : [];
});

describe('the files for Kubernetes', () => {
  it('have known kinds in their current versions, and names', () => {
    const versions = { CronJob: 'batch/v1', Deployment: 'apps/v1', PersistentVolumeClaim: 'v1', Service: 'v1' };
    expect(OBJECTS.length).toBeGreaterThan(5);
    for (const { kind, apiVersion, metadata } of OBJECTS) {
      expect(versions).toHaveProperty(kind, apiVersion);
      expect(metadata.name).toMatch(/^pacekeeper(-[a-z]+)?$/);
    }
  });

  it.each(PODS)('$name: runs without rights, on a read-only root, within limits', ({ pod, container }) => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    const both = { cpu: expect.any(String), memory: expect.stringMatching(/^\d+[MG]i$/) };
    expect(container.resources).toEqual({ requests: both, limits: both });
  });

  it.each(PODS)('$name: mounts each of its volumes, and writes only to its data and /tmp', ({ pod, container }) => {
    expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(pod.volumes.map(({ name }) => name).sort());
    const written = pod.volumes.filter((volume) => 'emptyDir' in volume || 'persistentVolumeClaim' in volume);
    const paths = container.volumeMounts.filter(({ name }) => written.some((volume) => volume.name === name));
    expect(paths.map(({ mountPath }) => mountPath).sort()).toEqual(['/data', '/tmp']);
  });

  const deployments = PODS.filter(({ kind }) => kind === 'Deployment');

  it.each(deployments)('$name: selects its own pods', ({ spec }) => {
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    expect(spec.template.metadata.annotations).toEqual({ 'pacekeeper/settings': 'SETTINGS_HASH' });
  });

  it.each(deployments)('$name: has probes that exist', async ({ container }) => {
    const probes = [container.livenessProbe, container.readinessProbe].filter((probe) => probe !== undefined);
    expect(container.livenessProbe).toBeDefined();
    const served = readFileSync('docs/serve.md', 'utf8');
    for (const { exec, httpGet } of probes) {
      if (httpGet) {
        expect(served).toContain(`| \`GET ${httpGet.path}\` |`);
        expect(container.ports).toEqual([{ containerPort: httpGet.port }]);
      } else {
        const [node, file, role = ''] = exec?.command ?? [];
        expect([node, file]).toEqual(['node', '/app/healthy.mjs']);
        expect(['lease', 'schedule', 'worker']).toContain(role);
      }
    }
    const { stdout } = await runInProcess(['status', '--help']);
    const options = container.livenessProbe?.exec?.command.filter((word) => word.startsWith('--')) ?? [];
    expect(options.filter((option) => !stdout.includes(option))).toEqual([]);
  });

  it.each(deployments)('$name: reads secrets from files that are named like their variables', ({ pod, container }) => {
    const secrets = SECRET_SETTINGS.flatMap(({ env }) => env);
    const open = SETTINGS.flatMap(({ env }) => env).filter((name) => !secrets.includes(name));
    for (const { name, value } of container.env ?? []) {
      if (open.includes(name)) continue;
      expect(secrets).toContain(name.replace(/_FILE$/, ''));
      expect(`${value}_FILE`).toBe(`/secrets/${name}`);
    }
    expect(pod.volumes).toContainEqual({ name: 'secrets', secret: { secretName: 'pacekeeper' } });
    expect(container.volumeMounts).toContainEqual({ name: 'secrets', mountPath: '/secrets', readOnly: true });
  });
});

describe('apply.sh', () => {
  /** A stand-in for kubectl that keeps what it was called with, and what was applied. */
  function cluster() {
    const bin = tempDir();
    const log = join(bin, 'log');
    writeFileSync(join(bin, 'kubectl'), `#!/bin/sh\n[ "$1" = create ] && { echo "$@"; exit; }\ncat >> ${log}\n`, {
      mode: 0o755,
    });
    const apply = (...args: string[]) => {
      writeFileSync(log, '');
      const env = { PATH: `${bin}:${process.env.PATH}` };
      const { status, stderr } = spawnSync('bash', [APPLY, ...args], { encoding: 'utf8', env });
      const applied = readFileSync(log, 'utf8');
      return { status, stderr, applied, hash: /pacekeeper\/settings: "(.*)"/.exec(applied)?.[1] };
    };
    return apply;
  }

  function settings() {
    const folder = tempDir();
    for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'pacekeeper.yaml'), 'target: sandbox\n');
    writeFileSync(join(folder, 'queries', 'a.sql'), 'SELECT campaign.id FROM campaign\n');
    return folder;
  }

  it('applies nothing without a folder that has settings', () => {
    const apply = cluster();
    expect(apply()).toMatchObject({
      status: 1,
      applied: '',
      stderr: expect.stringContaining('next step: name the folder'),
    });
    expect(apply(tempDir())).toMatchObject({
      status: 2,
      applied: '',
      stderr: expect.stringContaining('no pacekeeper.yaml'),
    });
  });

  it('makes each ConfigMap that a pod mounts, and applies each file', () => {
    const { status, applied } = cluster()(settings());
    expect(status).toBe(0);
    const made = [...applied.matchAll(/^create configmap ([\w-]+)/gm)].map(([, name]) => name);
    const mounted = OBJECTS.filter(({ kind }) => kind === 'Deployment').flatMap(({ spec }) =>
      spec.template.spec.volumes.flatMap((volume: { configMap?: { name: string } }) => volume.configMap?.name ?? []),
    );
    expect(new Set(made)).toEqual(new Set(mounted));
    for (const name of ['pacekeeper-schedule', 'pacekeeper-serve', 'pacekeeper-worker']) {
      expect(applied).toContain(`metadata: { name: ${name} }`);
    }
  });

  it('replaces pods if a file of the settings has another name or content, and otherwise none', () => {
    const folder = settings();
    const apply = cluster();
    const hashes = [apply(folder).hash, apply(folder).hash];
    writeFileSync(join(folder, 'queries', 'a.sql'), 'SELECT campaign.name FROM campaign\n');
    hashes.push(apply(folder).hash);
    renameSync(join(folder, 'queries', 'a.sql'), join(folder, 'queries', 'b.sql'));
    hashes.push(apply(folder).hash);
    expect(hashes[0]).toMatch(/^\d+-\d+$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(new Set(hashes).size).toBe(3);
  });
});

describe('a ConfigMap as the cluster mounts it', () => {
  it('is read through its links, and anew after it was replaced', async () => {
    const folder = tempDir();
    const queries = join(folder, 'queries');
    const replaceBy = (version: string, text: string) => {
      mkdirSync(join(queries, version), { recursive: true });
      writeFileSync(join(queries, version, 'a.sql'), text);
      symlinkSync(version, join(queries, '..data_tmp'));
      renameSync(join(queries, '..data_tmp'), join(queries, '..data'));
    };
    mkdirSync(queries);
    replaceBy('..2026_11_20', 'SELECT campaign.id FROM campaign\n');
    symlinkSync('..data/a.sql', join(queries, 'a.sql'));
    mkdirSync(join(folder, 'rules'));
    const check = () => runInProcess(['check', '--queries', queries], { folder });
    expect((await check()).stdout).toBe('1 file, 0 errors, 0 warnings.\n');
    replaceBy('..2026_11_21', 'SELECT campaign.idd FROM campaign\n');
    expect(await check()).toMatchObject({ code: 2, stdout: expect.stringContaining('UNRECOGNIZED_FIELD') });
  });
});

describe('the probe of a worker', () => {
  const probe = (script: string) => {
    const folder = tempDir();
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'main.js'), script);
    const args = [resolve('docs/deploy/healthy.mjs'), 'worker', '--data-dir', '/data'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    return { status, stderr };
  };
  const answering = (workers: readonly string[]) =>
    probe(`console.log(JSON.stringify({ workers: { live_workers: ${JSON.stringify(workers)} } }))`);

  it('fails if only other workers live', () => {
    const { status, stderr } = answering(['7@elsewhere']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'pacekeeper worker does not work: its last heartbeat is too old.\n',
    });
  });

  it('passes if the worker of this host lives, or if the database does not answer', () => {
    expect(answering(['7@elsewhere', `1@${hostname()}`])).toEqual({ status: 0, stderr: '' });
    expect(probe('process.exit(1)')).toEqual({ status: 0, stderr: '' });
  });

  it('asks with the options that the pod gives', () => {
    const asked = "if (process.argv.slice(2).join(' ') !== 'status --format json --data-dir /data') process.exit(0);";
    expect(probe(`${asked} console.log('{"workers":{"live_workers":[]}}')`).status).toBe(1);
  });
});

describe('every script that is shipped', () => {
  it.skipIf(spawnSync('shellcheck', ['--version']).error !== undefined)('passes shellcheck', async () => {
    const { stdout } = await runInProcess(['completion', 'bash']);
    const written = join(tempDir(), 'completion');
    writeFileSync(written, stdout);
    const paths = [...globSync('docs/deploy/**/*.sh'), written];
    expect(paths.length).toBeGreaterThan(2);
    const checked = spawnSync('shellcheck', ['--external-sources', ...paths], { encoding: 'utf8' });
    expect(checked.stdout).toBe('');
  });
});

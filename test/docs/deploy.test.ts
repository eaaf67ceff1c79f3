import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SECRET_SETTINGS, SETTINGS } from '../../src/config/setting-tree.ts';
import { cronProblem } from '../../src/language/due-times.ts';
import { runInProcess } from '../commands/run-in-process.ts';

const FOLDER = 'docs/deploy';
const read = (name: string) => readFileSync(`${FOLDER}/${name}`, 'utf8');
const { scripts, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const dockerfile = read('Dockerfile').replaceAll(/^#.*\n/gm, '');
const lines = (instruction: string) =>
  [...dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].map((match) => match[1] ?? '');

const MANIFESTS = [
  'compose.yaml',
  'cronjob.yaml',
  ...readdirSync(`${FOLDER}/kubernetes`).flatMap((name) => (name.endsWith('.yaml') ? `kubernetes/${name}` : [])),
];

interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly variables: readonly string[];
  readonly graceSeconds: number;
}

/** The containers of our image. */
const CONTAINERS = MANIFESTS.flatMap((name): Container[] =>
  parseAllDocuments(read(name), { merge: true }).flatMap((document) => {
    const { services = {}, spec = {} } = document.toJS();
    const pod = (spec.jobTemplate?.spec ?? spec).template?.spec ?? { containers: [] };
    return [
      ...Object.values<ReturnType<typeof parse>>(services).map(
        ({ image, command, environment, stop_grace_period }) => ({
          image,
          args: command,
          variables: Object.keys(environment ?? {}),
          graceSeconds: Number.parseInt(stop_grace_period, 10),
        }),
      ),
      ...pod.containers.map(({ image, args, env = [] }: ReturnType<typeof parse>) => ({
        image,
        args,
        variables: env.map((one: { name: string }) => one.name),
        graceSeconds: pod.terminationGracePeriodSeconds,
      })),
    ].flatMap(({ image, ...container }) => (image === 'pacekeeper' ? [{ name, ...container }] : []));
  }),
);

/** The options that a command's help names. */
async function helpOf(command: string): Promise<string> {
  return (await runInProcess([command, '--help'])).stdout;
}

describe('the image', () => {
  it('copies only existing files, and nothing that its build ignores', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    const copied = lines('COPY').filter((line) => !line.startsWith('--from'));
    const sources = copied.flatMap((line) => line.split(' ').slice(0, -1));
    expect(sources.length).toBeGreaterThan(10);
    expect(sources.filter((path) => !existsSync(path) || ignored.includes(path.split('/')[0] ?? ''))).toEqual([]);
  });

  it('keeps this folder’s secrets and databases out of the build', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(['.env', 'data', 'node_modules', 'dist', '.git'].filter((name) => !ignored.includes(name))).toEqual([]);
  });

  it('copies only what its first stage makes', () => {
    const made = ['/app/package.json', '/app/node_modules', '/app/dist'];
    const taken = lines('COPY').filter((line) => line.startsWith('--from=build'));
    expect(taken.map((line) => line.split(' ')[1])).toEqual(made);
  });

  it('runs existing scripts on the requested Node, as a user without privileges', () => {
    const named = [...dockerfile.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map((match) => match[1] ?? '');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    expect(lines('FROM').map((line) => line.split(' ')[0])).toEqual(['node:24-bookworm-slim', 'node:24-bookworm-slim']);
    expect(engines.node).toBe('>=22.14');
    expect(lines('USER')).toEqual(['node']);
  });

  it('names each base image with a version, and starts nothing through a shell', () => {
    for (const image of lines('FROM')) expect(image).toMatch(/^[\w/.-]+:(?!latest\b)[\w.-]*\d[\w.-]*(?: AS \w+)?$/);
    for (const instruction of ['ENTRYPOINT', 'CMD']) {
      for (const line of lines(instruction)) expect(JSON.parse(line)).toBeInstanceOf(Array);
    }
    expect(dockerfile).not.toMatch(/^(?:ADD|MAINTAINER|SHELL) |\bsudo\b|curl .*\| *(?:ba)?sh|apt-get/m);
    expect(dockerfile).not.toMatch(/^(?:ENV|ARG) .*(?:TOKEN|SECRET|PASSWORD|KEY)/m);
  });

  it('has absolute working folders, and ends with a user that is not root', () => {
    for (const folder of lines('WORKDIR')) expect(folder).toMatch(/^\//);
    expect(dockerfile.lastIndexOf('USER ')).toBeGreaterThan(dockerfile.lastIndexOf('RUN '));
  });

  it('begins with the schedule and checks its health with an existing file', () => {
    expect(JSON.parse(lines('ENTRYPOINT')[0] ?? '')).toEqual(['node', 'dist/main.js']);
    expect(JSON.parse(lines('CMD').at(-1) ?? '')).toEqual(['schedule', '--data-dir', '/data']);
    expect(dockerfile).toContain('COPY docs/deploy/healthy.mjs ./\n');
    expect(lines('HEALTHCHECK')[0]).toContain('CMD ["node", "/app/healthy.mjs", "schedule"]');
  });
});

describe('other ways to start the program', () => {
  it.each(['pacekeeper.service', 'pacekeeper-once.service', 'crontab'])(
    '%s: has a valid command line',
    async (name) => {
      const [, command = '', options = ''] =
        /node dist\/main\.js (\w+)((?: --?[\w-]+| \/[\w/]+)*)/.exec(read(name)) ?? [];
      const help = await helpOf(command);
      expect(command).toBe('schedule');
      expect(options.match(/--[\w-]+/g)?.filter((option) => !help.includes(option))).toEqual([]);
    },
  );

  it.each(CONTAINERS)(
    '$name: $args.0 has valid arguments, names existing variables without secrets, and gets time to end',
    async (container) => {
      const [command, ...options] = container.args;
      const help = await helpOf(command ?? '');
      expect(help).toContain(`Usage: pacekeeper ${command}`);
      expect(options.filter((option) => option.startsWith('--') && !help.includes(option))).toEqual([]);
      const open = SETTINGS.flatMap((setting) =>
        SECRET_SETTINGS.includes(setting) ? setting.env.map((name) => `${name}_FILE`) : setting.env,
      );
      expect(container.variables.filter((name) => !open.includes(name))).toEqual([]);
      expect(container.graceSeconds).toBeGreaterThan(30);
    },
  );

  it('uses valid cron times, and gives a job time to end', () => {
    expect(cronProblem(parse(read('cronjob.yaml')).spec.schedule)).toBeUndefined();
    expect(cronProblem(/^([^#\n]+?) cd /m.exec(read('crontab'))?.[1] ?? '')).toBeUndefined();
    for (const name of ['pacekeeper.service', 'pacekeeper-once.service']) {
      expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(read(name))?.[1])).toBeGreaterThan(30);
    }
  });

  it('has its settings in a folder, because changes to a single mounted file go unseen', () => {
    const { services } = parse(read('compose.yaml'), { merge: true });
    for (const { command, volumes } of [services.schedule, services.serve, services.worker]) {
      expect(volumes.at(-1)).toBe('../../settings:/settings:ro');
      expect(command.join(' ')).toContain('--config /settings/pacekeeper.yaml');
    }
  });

  it('appears in docs/schedule.md with each of its files', () => {
    const page = readFileSync('docs/schedule.md', 'utf8');
    expect(readdirSync(FOLDER).filter((name) => !page.includes(`deploy/${name}`))).toEqual([]);
  });
});

describe('a cron line', () => {
  const pages = ['README.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter((path) =>
    path.endsWith('.md'),
  );
  const found = pages.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/(?:[\d*][\d*/,-]* ){5} *cd [^`\n]*/g)].map(([line]) => ({ path, line })),
  );

  it('starts the program directly: npx is slower and swallows signals', () => {
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(({ line }) => line.includes('npx'))).toEqual([]);
    for (const { line } of found) expect(line).toMatch(/node_modules\/\.bin\/node (?:\.\.\/)?dist\/main\.js [a-z]+/);
  });

  it('names files of a clone after npm ci', () => {
    for (const path of ['node_modules/.bin/node', 'dist/main.js']) expect(existsSync(path)).toBe(true);
  });
});

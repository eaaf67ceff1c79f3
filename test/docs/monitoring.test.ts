import { spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { commandTree } from '../commands/command-tree.ts';
import { runInProcess } from '../commands/run-in-process.ts';
import { serveInProcess } from '../commands/serve/serve-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIM_QUERIES } from '../support/trim-rule.ts';
import { writeFolder } from '../support/world.ts';

const RULES = 'docs/deploy/prometheus/alerts.yaml';
const BOARDS = 'docs/deploy/grafana';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly next_step: string };
}

interface Board {
  readonly uid: string;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly datasource: { readonly uid: string };
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly refId: string; readonly expr?: string; readonly rawSql?: string }[];
  }[];
}

const ALERTS: readonly Rule[] = parse(readFileSync(RULES, 'utf8')).groups.flatMap(
  ({ rules }: { rules: readonly Rule[] }) => rules,
);
const boards = readdirSync(BOARDS).map((name): Board => JSON.parse(readFileSync(join(BOARDS, name), 'utf8')));
const EXPRESSIONS = [
  ...ALERTS.map(({ expr }) => expr),
  ...boards.flatMap(({ panels }) => panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr ?? []))),
];

/** The names that the source gives to metrics: some have no value before something has happened. */
const DECLARED = [...globSync('src/dashboard/{server,status}/*.ts')].flatMap((path) => {
  const text = readFileSync(path, 'utf8');
  const measures = [...text.matchAll(/\bmeasure\(\s*'(\w+)'/g)].map(([, name]) => `pacekeeper_${name}`);
  return [...measures, ...[...text.matchAll(/name: '(pacekeeper_\w+)'/g)].map(([, name = '']) => name)];
});

async function liveMetrics(): Promise<string> {
  const env = { PACEKEEPER_NOW: '2026-11-20T12:00:00Z' };
  const folder = tempDir();
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', {});
  expect((await runInProcess(['report', '--dry-run'], { folder, env })).code).toBe(0);
  const served = await serveInProcess(folder, env);
  const { stdout: token } = await runInProcess(['serve', 'token'], { folder, env });
  const headers = { authorization: `Bearer ${token.trim()}` };
  const answer = await fetch(`${served.ready.address}/metrics`, { headers });
  const text = await answer.text();
  await served.stop();
  return text;
}

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;
if (!hasPromtool) process.stderr.write('No promtool: its tests are skipped. Install prometheus to run them.\n');

describe.skipIf(!hasPromtool)('promtool', () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  it('accepts the alert rules, and proves that they fire and stay silent', () => {
    expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0, output: expect.stringContaining('SUCCESS') });
    expect(promtool('test', 'rules', 'docs/deploy/prometheus/alerts.test.yaml')).toMatchObject({ status: 0 });
  });

  it('accepts each expression of the dashboard', () => {
    const path = join(tempDir(), 'rules.yaml');
    const rules = EXPRESSIONS.map((expr, index) => ({ record: `x:${index}`, expr }));
    writeFileSync(path, stringify({ groups: [{ name: 'x', rules }] }));
    const { status, output } = promtool('check', 'rules', path);
    expect(output).toContain(`SUCCESS: ${EXPRESSIONS.length} rules found`);
    expect(status).toBe(0);
  });
});

describe('alerts and dashboards', () => {
  it('name only metrics that /metrics has', async () => {
    const live = await liveMetrics();
    const shown = [...live.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name);
    const own = shown.filter((name) => name.startsWith('pacekeeper_'));
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((name) => !DECLARED.includes(name))).toEqual([]);
    const known = ['up', ...DECLARED, ...shown];
    const used = EXPRESSIONS.flatMap((expr) => [...expr.matchAll(/\b(?:pacekeeper|process|nodejs)_\w+|\bup\b/g)]).map(
      ([name]) => name.replace(/_bucket$/, ''),
    );
    expect(used.length).toBeGreaterThan(EXPRESSIONS.length - 1);
    expect(used.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('say what to do, with commands that exist', () => {
    const commands = commandTree().map(({ name }) => name);
    for (const { alert, labels, annotations } of ALERTS) {
      expect(alert).toMatch(/^Pacekeeper[A-Z]\w+$/);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
      for (const [, words = ''] of annotations.next_step.matchAll(/pacekeeper ((?:[a-z-]+ ?)+?)(?=[.,])/g)) {
        expect(commands).toContain(words);
      }
    }
    expect(new Set(ALERTS.map(({ alert }) => alert)).size).toBe(ALERTS.length);
  });

  it.each(boards)('$uid: has panels beside each other, each with queries of its data source', (board) => {
    const { panels, templating } = board;
    const variables = templating.list.map(({ name }) => `\${${name}}`);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { title, datasource, gridPos, targets } of panels) {
      expect(variables, title).toContain(datasource.uid);
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      const overlapping = panels.filter(({ gridPos: other }) => {
        const isBeside = other.x >= gridPos.x + gridPos.w || gridPos.x >= other.x + other.w;
        const isBelow = other.y >= gridPos.y + gridPos.h || gridPos.y >= other.y + other.h;
        return !isBeside && !isBelow;
      });
      expect(overlapping.map((panel) => panel.title)).toEqual([title]);
      expect(targets.length, title).toBeGreaterThan(0);
      for (const [used] of JSON.stringify(targets).matchAll(/\$\{\w+\}/g)) expect(variables).toContain(used);
    }
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { COMPILED, PROGRAM } from '../support/run-cli.ts';
import { tempDir } from '../support/temp-dir.ts';

const SCRIPT = resolve('docs/deploy/check-pull-request.sh');
const QUERY = readFileSync('queries/campaign_spend.sql', 'utf8');
const RULE = readFileSync('rules/cut-without-conversions.yaml', 'utf8');

/** A repository of a team, with one commit. */
function repository(below = '') {
  const folder = tempDir();
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', env: GIT }).trim();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, below, path)), { recursive: true });
    writeFileSync(join(folder, below, path), text);
  };
  const commit = () => {
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'x');
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet');
  write('pacekeeper.yaml', 'target: sandbox\n');
  write('queries/campaign_spend.sql', QUERY);
  write('rules/trim.yaml', RULE);
  write('rules/other.yaml', RULE);
  const base = commit();
  const summary = join(tempDir(), 'summary.md');
  const run = (env: Readonly<Record<string, string>>) => {
    const { status, stdout, stderr } = spawnSync('bash', [SCRIPT, process.execPath, PROGRAM], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...GIT,
        PACEKEEPER_NOW: NOW,
        NODE_COMPILE_CACHE: COMPILED,
        GITHUB_STEP_SUMMARY: summary,
        BASE: base,
        ...env,
      },
    });
    return { status, stdout, stderr, summary: readFileSync(summary, 'utf8') };
  };
  return { folder, git, write, commit, run };
}

const NOW = '2026-11-20T08:00:00Z';
const NOBODY = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' };
const GIT = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...NOBODY };

describe('the check of a pull request', () => {
  it('fails on a wrong query, shows it at its place, and tries nothing', () => {
    const { write, commit, run, folder } = repository();
    write('queries/bad.sql', 'SELECT campaign.id,\n  metrics.clickz\nFROM campaign\n');
    write('rules/trim.yaml', `${RULE}# changed\n`);
    commit();
    const sarif = join(tempDir(), 'findings.sarif');
    const { status, stdout, summary } = run({ SARIF: sarif });
    expect(status).toBe(2);
    expect(stdout).toMatch(/^::error file=queries\/bad\.sql,line=2,col=3,/);
    expect(summary).toContain('    queries/bad.sql:2:3: error: "metrics.clickz" is not a field of campaign.');
    expect(summary).not.toContain('Back-test');
    expect(JSON.parse(readFileSync(sarif, 'utf8')).runs[0].results).toHaveLength(1);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it('fails without the secrets of live services, with the next step', () => {
    const { write, run } = repository();
    write('pacekeeper.yaml', 'target: live\nads: { url: "https://ads.example.com" }\n');
    const { status, summary } = run({});
    expect(status).toBe(2);
    expect(summary).toMatch(/^ {4}error: The settings cannot be used:\n {6}- ADS_ACCESS_TOKEN is missing\./m);
    expect(run({ PACEKEEPER_TARGET: 'sandbox' }).status).toBe(0);
  });

  it('says so if the commit to compare with is missing or not known', () => {
    const { run } = repository();
    expect(run({ BASE: '' })).toMatchObject({
      status: 0,
      summary: expect.stringContaining('no commit to compare with'),
    });
    const { status, stdout, summary } = run({ BASE: 'f'.repeat(40) });
    expect(status).toBe(0);
    expect(stdout).toContain('::warning title=pacekeeper::No back-test');
    expect(summary).toContain('Set fetch-depth: 0');
  });

  it('tries no rule that is unchanged or was removed', () => {
    const { folder, write, commit, run } = repository();
    rmSync(join(folder, 'rules', 'trim.yaml'));
    write('README.md', 'x');
    commit();
    expect(run({})).toMatchObject({ status: 0, summary: expect.stringContaining('No rule has changed.') });
  });

  it('shows the back-test of each changed or new rule, also below a folder', () => {
    const { write, commit, run, git } = repository('ads');
    write('rules/trim.yaml', `${RULE}# changed\n`);
    write('rules/renamed.yaml', RULE);
    commit();
    const { status, stdout, summary } = run({ CONFIG: 'ads/pacekeeper.yaml' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(summary.match(/^### .*/gm)).toEqual(['### Back-test of renamed', '### Back-test of trim']);
    expect(summary).toMatch(/^ {4}backtest of trim@\w+ · sandbox/m);
    expect(summary).toMatch(/^ {4}Nothing was changed or sent\./m);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('warns, and does not fail, if a data folder has no complete day', () => {
    const { write, commit, run } = repository();
    write('rules/trim.yaml', `${RULE}# changed\n`);
    commit();
    const { status, stdout, summary } = run({ DATA_DIR: tempDir() });
    expect(status).toBe(0);
    expect(stdout).toContain('::warning title=pacekeeper::The back-test of trim is not complete.');
    expect(summary).toMatch(/^ {4}error: No day/m);
  });

  it('warns, and does not fail, if the data cannot be read', () => {
    const { write, commit, run } = repository();
    const ads = '{ url: "http://127.0.0.1:9", access_token: t, customer_ids: ["1"], retry: { attempts: 1 } }';
    write('pacekeeper.yaml', `target: live\nads: ${ads}\n`);
    write('rules/trim.yaml', `${RULE}# changed\n`);
    commit();
    const { status, stdout, summary } = run({});
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('could not be read') });
    expect(summary).toMatch(/^ {4}Done with 1 failure: 0 rows read\./m);
  });
});

describe('action.yml', () => {
  const { inputs, outputs, runs } = parse(readFileSync('action.yml', 'utf8'));
  const [build, check] = runs.steps;

  it('calls the script with its variables, and declares each input and output that it uses', () => {
    expect(runs.using).toBe('composite');
    expect(check.run).toContain('"$ACTION/docs/deploy/check-pull-request.sh"');
    const script = readFileSync(SCRIPT, 'utf8');
    for (const name of ['CONFIG', 'BASE', 'DATA_DIR', 'SARIF']) {
      expect(script).toContain(`\${${name}:-`);
      expect(check.env).toHaveProperty(name);
    }
    const used = [...JSON.stringify(runs).matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect(used.sort()).toEqual(Object.keys(inputs).sort());
    expect(outputs.sarif.value).toBe(`\${{ steps.check.outputs.sarif }}`);
    expect(check.run).toContain('echo "sarif=$SARIF" >> "$GITHUB_OUTPUT"');
  });

  it('gives no expression to a shell, because a name of a branch could be a command', () => {
    for (const { run, shell } of [build, check]) {
      expect(shell).toBe('bash');
      expect(run).not.toContain('${{');
    }
  });
});

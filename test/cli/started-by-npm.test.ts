import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../commands/run-in-process.ts';
import { PROGRAM } from '../support/run-cli.ts';
import { tempDir } from '../support/temp-dir.ts';
import { writeFolder } from '../support/world.ts';

/** Recorded: the variables that npm 10.9.9 and 11.19.1 set for every script, with values of a person's .npmrc. */
const ALWAYS = {
  npm_config_cache: '/home/anna/.npm',
  npm_config_global_prefix: '/usr',
  npm_config_globalconfig: '/usr/etc/npmrc',
  npm_config_init_module: '/home/anna/.npm-init.js',
  npm_config_local_prefix: '/home/anna/shop',
  npm_config_node_gyp: '/usr/lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js',
  npm_config_noproxy: '',
  npm_config_prefix: '/usr',
  npm_config_userconfig: '/home/anna/.npmrc',
  npm_config_audit: '',
  npm_config_json: 'true',
  npm_config_offline: 'true',
  npm_config_format_package_lock: '',
  npm_lifecycle_event: 'report',
};
const NPM_10 = { ...ALWAYS, npm_command: 'run-script', npm_config_npm_version: '10.9.9' };
const NPM_11 = { ...ALWAYS, npm_command: 'run', npm_config_npm_version: '11.19.1', npm_config_allow_scripts: '' };
const NPX = { ...NPM_10, npm_command: 'exec', npm_lifecycle_event: 'npx' };

const NPM_RUN = 'npm run report --';

interface Taken {
  readonly given: string;
  readonly args?: readonly string[];
  readonly sets: Readonly<Record<string, string>>;
  readonly line: string;
}

/** What npm makes of `npm run report …`: arguments of the script, and variables. Both versions do the same. */
const TAKEN: readonly Taken[] = [
  { given: '--dry-run', sets: { npm_config_dry_run: 'true' }, line: `${NPM_RUN} --dry-run` },
  { given: '--dry', sets: { npm_config_dry_run: 'true' }, line: `${NPM_RUN} --dry-run` },
  { given: '--no-extract', sets: { npm_config_extract: '' }, line: `${NPM_RUN} --no-extract` },
  { given: '--wait-for-run', sets: { npm_config_wait_for_run: 'true' }, line: `${NPM_RUN} --wait-for-run` },
  { given: '--customer=1', sets: { npm_config_customer: '1' }, line: `${NPM_RUN} --customer <id...>` },
  { given: '--customer=', sets: { npm_config_customer: '' }, line: `${NPM_RUN} --customer <id...>` },
  { given: '--customer 1', args: ['1'], sets: { npm_config_customer: 'true' }, line: `${NPM_RUN} --customer <id...>` },
  {
    given: '--customer 1 --customer 2',
    args: ['1', '2'],
    sets: { npm_config_customer: 'true\n\ntrue' },
    line: `${NPM_RUN} --customer <id...>`,
  },
  {
    given: '--customer=2, and the script itself has --customer 1',
    args: ['--customer', '1'],
    sets: { npm_config_customer: '2' },
    line: `${NPM_RUN} --customer <id...>`,
  },
  {
    given: '--data-dir=x --dry-run',
    sets: { npm_config_data_dir: 'x', npm_config_dry_run: 'true' },
    line: `${NPM_RUN} --data-dir <dir> --dry-run`,
  },
];

describe('pacekeeper started by npm', () => {
  it.each(TAKEN)('refuses npm run report $given', async ({ args = [], sets, line }) => {
    for (const npm of [NPM_10, NPM_11]) {
      const folder = tempDir();
      const { code, stdout, stderr } = await runInProcess(['report', ...args], { folder, env: { ...npm, ...sets } });
      expect({ code, stdout, files: readdirSync(folder) }).toEqual({ code: 2, stdout: '', files: [] });
      expect(stderr).toMatch(/^error: npm took --.* for itself\. Nothing was done\.\n/);
      expect(stderr.split('\n')[1]).toBe(`next step: Write the options here: ${line}`);
    }
  });

  it.each([
    ['npx --dry-run pacekeeper report', ['report'], { npm_config_dry_run: 'true' }, 'npx pacekeeper report --dry-run'],
    [
      'npm exec pacekeeper budgets approve K7QF --by=anna',
      ['budgets', 'approve', 'K7QF'],
      { npm_config_by: 'anna' },
      'npx pacekeeper budgets approve --by <name>',
    ],
  ])('refuses %s', async (_, args, sets, line) => {
    const { code, stderr } = await runInProcess(args, { env: { ...NPX, ...sets } });
    expect(code).toBe(2);
    expect(stderr).toContain(`next step: Write the options here: ${line}\n`);
  });

  it.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ['variables that npm sets by itself', [], NPM_11],
    ['npm run --silent', [], { ...NPM_11, npm_config_loglevel: 'silent' }],
    ['a flag that reached the program, too', ['--fix'], { ...NPM_11, npm_config_fix: 'true' }],
    ['an option of another command', [], { ...NPM_11, npm_config_dry_run: 'true' }],
    ['npx --yes', [], { ...NPX, npm_config_yes: 'true' }],
    ['the same variables without npm', [], { npm_config_fix: 'true' }],
  ])('accepts %s', async (_, args, env) => {
    const folder = tempDir();
    writeFolder(folder, 'queries', { 'days.sql': 'SELECT campaign.id FROM campaign' });
    writeFolder(folder, 'rules', {});
    const { code } = await runInProcess(['check', ...args], { folder, env });
    expect(code).toBe(0);
  });

  it('names -- after a usage error, because npm passes some values without their options', async () => {
    // npm takes --format for an abbreviation of its --format-package-lock.
    const { code, stderr } = await runInProcess(['report', 'json'], { env: NPM_11 });
    expect(code).toBe(2);
    expect(stderr).toContain('too many arguments');
    expect(stderr).toMatch(/next step: Write -- before options, .*: npm run report -- --help\n$/);
  });

  it('refuses npm run report --dry-run of the installed npm, and takes the option after --', () => {
    const folder = tempDir();
    const npmRun = (...args: readonly string[]) => {
      const { npm_config_dry_run: _, ...env } = process.env;
      return spawnSync('npm', ['run', '--silent', 'warehouse', ...args], { cwd: folder, encoding: 'utf8', env });
    };
    const script = `node ${PROGRAM} warehouse rebuild`;
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { warehouse: script } }));

    const refused = npmRun('--dry-run');
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('next step: Write the options here: npm run warehouse -- --dry-run\n');
    expect(readdirSync(folder)).toEqual(['package.json']);

    expect(npmRun('--', '--dry-run').stderr).not.toContain('npm took');
  });
});

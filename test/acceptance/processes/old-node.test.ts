import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROGRAM, runCli } from '../../support/run-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';

const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };

/** Runs `pacekeeper --version` on a Node that says it is this one. */
const runOn = (version: string) => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
  return runCli(['--version'], {
    cwd: tempDir(),
    env: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(pretend)}"` },
  });
};

describe('a Node that is too old', () => {
  it('is refused in one message with the next step', async () => {
    const { code, stdout, stderr } = await runOn('22.13.1');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'error: pacekeeper needs Node 22.14 or newer, found 22.13.1.\n' +
        'next step: Install Node 24 from https://nodejs.org. Or use npm run or npx in the repository: it brings its own Node.\n',
    );
  });

  it('is refused before any package or native part loads', () => {
    const imported = [...readFileSync(PROGRAM, 'utf8').matchAll(/^import .*?["']([^"']+)["'];$/gm)];
    expect(imported.length).toBeGreaterThan(2);
    expect(imported.map(([, name = '']) => name).filter((name) => !name.startsWith('node:'))).toEqual([]);
  });

  it.each(['20.20.2', '9.11.2'])('includes %s', async (version) => {
    expect((await runOn(version)).code).toBe(2);
  });

  it.each(['22.14.0', '24.0.0', '100.0.0'])('does not include %s', async (version) => {
    const { code, stderr } = await runOn(version);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('is one below the version in package.json', () => {
    expect(engines.node).toBe('>=22.14');
  });
});

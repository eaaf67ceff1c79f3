import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAULT_TAKES, type FaultName } from '../../../src/domain/fault-text.ts';
import { FAULT_MODES, FAULT_PLACES } from '../../../src/sandbox/fault-modes.ts';
import { runInProcess } from '../../commands/run-in-process.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../../support/trim-rule.ts';
import { NOON, writeFolder } from '../../support/world.ts';

/** `pacekeeper report` in a folder with one small query, against the sandbox of the run. */
function reportUnder(fault: string) {
  const folder = tempDir();
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', TRIM_RULES);
  const env = { PACEKEEPER_NOW: NOON, PACEKEEPER_FAULT: fault };
  return runInProcess(['report', '--customer', TRIMMED.customerId], { folder, env });
}

describe('a requested fault', () => {
  it('from PACEKEEPER_FAULT affects the sandbox of a run; semicolons separate several', async () => {
    const { code, stdout } = await reportUnder('404,at=stream,nth=9999; 404,at=list');
    expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining('HTTP 404 with an HTML page')]);
  });

  it('at the token endpoint affects the sandbox of a run', async () => {
    const { code, stdout, stderr } = await reportUnder('html,at=token');
    expect(code).toBe(1);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'HTTP 200: an HTML page. Check ADS_TOKEN_URL. Its server may not issue tokens.',
    );
    expect(stderr).not.toContain('matched no request');
  });

  it('of expiring tokens does not affect the result: they are renewed', async () => {
    const { code, stdout, stderr } = await reportUnder('token-expires,after=5');
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(/ACCESS_TOKEN|UNAUTHENTICATED|expired|matched no request/);
  });

  it.each([
    [['report']],
    [['extract']],
    [['accounts']],
    [['ideas', 'shoes']],
    [['catalogue', 'refresh']],
    [['messages', 'send', 'whatsapp:+4915112345678', 'Done.']],
    [['graph', 'send', '4915112345678', 'Done.']],
    [['graph', 'phone-numbers']],
    [['graph', 'page-tokens']],
    [['graph', 'permissions']],
    [['graph', 'revoke']],
    [['container', 'login']],
    [['container', 'status']],
  ])('401 means wrong credentials, so it ends with 2, because credentials are settings: %s', async (args) => {
    const folder = tempDir();
    writeFolder(folder, 'queries', TRIM_QUERIES);
    writeFolder(folder, 'rules', TRIM_RULES);
    const env = { PACEKEEPER_NOW: NOON, PACEKEEPER_FAULT: '401' };
    const { code, stderr } = await runInProcess(args, { folder, env });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/401|UNAUTHENTICATED/)]);
  });

  it.each([
    ['html,at=token,nth=99', 'The fault html,at=token,nth=99 matched no request.'],
    ['token-expires,at=token', 'The fault token-expires,at=token matched no request.'],
    [
      'cut,at=lookup,nth=9; drip,piece=99999,pause=0,at=list,nth=1; stall,nth=999',
      'The faults cut,at=lookup,nth=9 and stall,nth=999 matched no request.',
    ],
  ])('without an effect is reported once: %s', async (fault, sentence) => {
    const { code, stderr } = await reportUnder(fault);
    expect(code).toBe(0);
    expect(stderr.replace(/\s+/g, ' ').split(sentence)).toHaveLength(2);
    expect(stderr.split('matched no request')).toHaveLength(2);
  });

  it('and met a request is not told of, nor is none', async () => {
    expect((await reportUnder('drip,piece=99999,pause=0,at=list,nth=1')).stderr).not.toContain('matched no request');
    expect((await reportUnder('')).stderr).not.toContain('matched no request');
  });

  it.each([
    ['PACEKEEPER_FAULT', () => reportUnder('sleep')],
    ['--fault', () => runInProcess(['sandbox', '--port', '0', '--fault', 'sleep'])],
  ])('that is invalid is refused: %s', async (_, run) => {
    const { code, stderr } = await run();
    expect(code).toBe(2);
    const said = stderr.replace(/\s+/g, ' ');
    expect(said).toContain('ound "sleep"');
    expect(said).toContain('another fault from docs/sandbox.md');
  });
});

describe('docs/sandbox.md', () => {
  const page = readFileSync('docs/sandbox.md', 'utf8');

  it.each(Object.entries(FAULT_MODES))('describes %s and its options', (name, { means }) => {
    const takes: readonly string[] = FAULT_TAKES[name as FaultName];
    expect(page).toContain(`| \`${name}\` | ${means} |\n`);
    expect(takes.filter((option) => !means.includes(`\`${option}\``))).toEqual([]);
  });

  it('lists the statuses in order', () => {
    const statuses = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, name = '']) => name);
    const first = statuses.indexOf('401');
    const known = Object.keys(FAULT_MODES).filter((name) => /^\d/.test(name));
    expect(statuses.slice(first, first + known.length)).toEqual(known.toSorted());
  });

  it.each(Object.keys(FAULT_PLACES))('names the place %s', (place) => {
    expect(page).toMatch(new RegExp(`^\\| .*\`${place}\``, 'm'));
  });
});

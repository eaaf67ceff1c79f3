import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAULT_TAKES, type FaultName } from '../../src/domain/fault-text.ts';
import { FAULT_MODES } from '../../src/sandbox/fault-modes.ts';
import { FAULT_PLACES } from '../../src/sandbox/fault-places.ts';
import { runInProcess } from '../cli/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { NOON, writeFolder } from '../support/world.ts';

/** `pacekeeper report` in a folder with one small query, against the sandbox of the run. */
function reportUnder(fault: string) {
  const folder = tempDir();
  writeFolder(folder, 'queries', TRIM_QUERIES);
  writeFolder(folder, 'rules', TRIM_RULES);
  const env = { PACEKEEPER_NOW: NOON, PACEKEEPER_FAULT: fault };
  return runInProcess(['report', '--customer', TRIMMED.customerId], { folder, env });
}

describe('a fault that is asked for', () => {
  it('by PACEKEEPER_FAULT meets the sandbox of a run; several stand with a semicolon between them', async () => {
    const { code, stdout } = await reportUnder('404,at=stream,nth=9999; 404,at=list');
    expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([1, expect.stringContaining('HTTP 404 with an HTML page')]);
  });

  it.each([
    ['PACEKEEPER_FAULT', () => reportUnder('sleep')],
    ['--fault', () => runInProcess(['sandbox', '--port', '0', '--fault', 'sleep'])],
  ])('by %s, and is none, is bad input', async (_, run) => {
    const { code, stderr } = await run();
    expect(code).toBe(2);
    const said = stderr.replace(/\s+/g, ' ');
    expect(said).toContain('found "sleep", expected one of');
    expect(said).toContain('another fault that docs/sandbox.md lists');
  });
});

describe('docs/sandbox.md', () => {
  const page = readFileSync('docs/sandbox.md', 'utf8');

  it.each(Object.entries(FAULT_MODES))('says what %s does, and what it takes', (name, { means }) => {
    const takes: readonly string[] = FAULT_TAKES[name as FaultName];
    expect(page).toContain(`| \`${name}\` | ${means} | ${takes.map((option) => `\`${option}\``).join(', ')} |\n`);
  });

  it('lists the statuses in their order, side by side', () => {
    const statuses = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, name = '']) => name);
    const first = statuses.indexOf('401');
    const known = Object.keys(FAULT_MODES).filter((name) => /^\d/.test(name));
    expect(statuses.slice(first, first + known.length)).toEqual(known.toSorted());
  });

  it.each(Object.keys(FAULT_PLACES))('names the place %s', (place) => {
    expect(page).toMatch(new RegExp(`^\\| .*\`${place}\``, 'm'));
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../commands/run-in-process.ts';
import { tempDir } from '../support/temp-dir.ts';

async function shown(fault: string, environment: Readonly<Record<string, string>> = {}) {
  const folder = tempDir();
  writeFileSync(join(folder, 'pacekeeper.yaml'), fault === '' ? '' : `sandbox:\n  fault: ${fault}\n`);
  return runInProcess(['config', 'show'], { folder, env: environment });
}

describe('a fault of the sandbox in the settings', () => {
  it.each([
    ['no fault', '[nonsense]', '2:11', /expected one of .* or another fault from docs\/sandbox\.md/],
    ['nearly one', 'resetat', '2:10', /expected one of reset-at, /],
    ['told something twice', "'cut,nth=1,nth=2'", '2:10', /expected one "nth" per fault/],
    ['at no place', "'cut,at=here'", '2:10', /expected at=any\|stream/],
  ])('is refused with its place: %s', async (_, fault, place, says) => {
    const { code, stderr } = await shown(fault);
    expect(code).toBe(2);
    expect(stderr).toContain(`pacekeeper.yaml:${place}`);
    expect(stderr.replace(/\s+/g, ' ')).toMatch(says);
  });

  it("is refused in the environment, by the variable's name", async () => {
    const { code, stderr } = await shown('', { PACEKEEPER_FAULT: 'cut;nonsense' });
    expect(code).toBe(2);
    expect(stderr.replace(/\s+/g, ' ')).toContain('Found "nonsense" for PACEKEEPER_FAULT, expected one of');
  });

  it('is accepted if the sandbox supports it', async () => {
    expect((await shown("['cut,at=stream,nth=2', 429]")).code).toBe(0);
  });
});

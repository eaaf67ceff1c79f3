import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe('docs/pacing.md', () => {
  it('shows lines that the program printed', () => {
    const page = readFileSync('docs/pacing.md', 'utf8');
    const printed = readFileSync('test/golden/files/sandbox/shown/pacing.txt', 'utf8');
    const [, sample = ''] = /^## pacekeeper pacing$[\s\S]*?^```\n([\s\S]*?)\n {4}\.\.\.\n```$/m.exec(page) ?? [];
    expect(sample).toContain('Target');
    expect(printed).toContain(sample);
  });
});

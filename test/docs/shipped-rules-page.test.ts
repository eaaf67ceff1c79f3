import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';

const PAGE = readFileSync('docs/shipped-rules.md', 'utf8');
const RULES = readdirSync('rules')
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => basename(name, '.yaml'));

describe('docs/shipped-rules.md', () => {
  it('describes every shipped rule, and no other', () => {
    const told = [...PAGE.matchAll(/^## ([\w-]+)$/gm)].map(([, name]) => name);
    expect(told.toSorted()).toEqual(RULES.toSorted());
    const listed = [...PAGE.matchAll(/^\| \[([\w-]+)\]\(#\1\) \|/gm)].map(([, name]) => name);
    expect(listed).toEqual(told);
  });

  it.each(RULES)('shows the effect of %s on the simulated market, with a text alternative', (name) => {
    const [, alt = ''] = new RegExp(`!\\[([^\\]]*)\\]\\(pictures/${name}\\.svg\\)`).exec(PAGE) ?? [];
    expect(alt.length).toBeGreaterThan(40);
    const picture = readFileSync(`docs/pictures/${name}.svg`, 'utf8');
    expect(picture).toMatch(/^<svg .*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/s);
    expect(picture).toContain('90 simulated days of seed 1');
    expect(picture).not.toMatch(/<script|href=/);
  });

  it('states the mode of each', () => {
    const words = new Map(
      [...PAGE.matchAll(/^\| \[([\w-]+)\]\(#\1\) \|.*\| ([^|]+) \|$/gm)].map(([, name = '', acts = '']) => [
        name,
        acts,
      ]),
    );
    const modes = RULES.map((name) => {
      const source = readFileSync(`rules/${name}.yaml`, 'utf8');
      const mode = /^mode: (\w+)$/m.exec(source)?.[1];
      return [name, mode === undefined ? 'alerts only' : `\`${mode}\``];
    });
    expect([...words].toSorted()).toEqual(modes.toSorted());
  });
});

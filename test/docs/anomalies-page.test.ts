import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../src/config/settings.ts';
import { DAY_MEASURES } from '../../src/rules/check/checked-expression.ts';
import { measureOf } from '../../src/rules/evaluate/figures.ts';
import { readYaml } from '../../src/yaml/read-yaml.ts';

const PAGE = readFileSync('docs/anomalies.md', 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

describe('docs/anomalies.md', () => {
  it('shows the rule as shipped and measured', () => {
    const shipped = readFileSync('rules/weekday-anomaly.yaml', 'utf8').replaceAll(/^#.*\n/gm, '');
    expect(BLOCKS).toContain(shipped);
  });

  it('shows valid settings', () => {
    const settings = BLOCKS.filter((text) => text.startsWith('holidays:')).map((text) =>
      readYaml(text, settingsSchema),
    );
    expect(settings.map(({ kind }) => kind)).toEqual(['ok']);
  });

  it.each(DAY_MEASURES)('states the %s of four days', (measure) => {
    const [, shown] = new RegExp(`^\\| \`${measure}\\(clicks\\)\` \\|.*\\| ([\\d.]+) \\|$`, 'm').exec(PAGE) ?? [];
    const { n, d } = measureOf(measure, [50n, 51n, 52n, 500n], 1n) ?? { n: 0n, d: 1n };
    expect(Number(shown)).toBeCloseTo(Number(n) / Number(d), 1);
  });
});

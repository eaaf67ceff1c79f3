import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RESULTS } from '../../bench/anomalies/result-rules.ts';
import { settingsSchema } from '../../src/config/settings.ts';
import { DAY_MEASURES } from '../../src/language/rules/check/checked-expression.ts';
import { measureOf } from '../../src/language/rules/evaluate/figures.ts';
import { checkRuleFile } from '../../src/language/rules/file/rule-file.ts';
import type { Rule } from '../../src/language/rules/rule.ts';
import { readYaml } from '../../src/language/yaml/read-yaml.ts';
import { queryNamed } from '../rules/rule-fixtures.ts';

const PAGE = readFileSync('docs/anomalies.md', 'utf8');
const RULES = [...PAGE.matchAll(/^```yaml\n(description:.*?)^```$/gms)].map(([, text = '']) => text);
const BLOCKS = [...PAGE.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);

const conditionOf = ({ over, lastingDays, when }: Rule) => [over, lastingDays, when?.text.replaceAll(/\s+/g, ' ')];

describe('docs/anomalies.md', () => {
  it.each([
    ['cost', 'queries/campaign_spend.sql'],
    ['conversions', 'queries/library/campaign_conversions.sql'],
    ['cpa', 'queries/library/campaign_conversions.sql'],
  ])('shows the recommended rule on %s as measured', (metric, path) => {
    const [shown = ''] = RULES.filter((text) => new RegExp(`AND ${metric} NOT BETWEEN`).test(text));
    const query = queryNamed(basename(path, '.sql'), readFileSync(path, 'utf8'));
    const { rule, diagnostics } = checkRuleFile('shown', shown, new Map([[query.name, query]]), new Set(), {
      version: '0123456789ab',
      completeness: { settleDays: new Map(), conversionDays: 7 },
    });
    expect(diagnostics).toEqual([]);
    const variants = RESULTS.find(({ name }) => name === metric)?.variants ?? [];
    const measured = variants.filter(({ name }) => name.startsWith('**')).map((variant) => variant.rule);
    expect(measured.map(conditionOf)).toEqual([rule && conditionOf(rule)]);
  });

  it('recommends rules with two false alarms per campaign-year at most', () => {
    const [, table = ''] = PAGE.split('<!-- anomalies: measured -->');
    const alarms = [...table.matchAll(/^\| \*\*.*?\*\*.*? \| ([\d.]+) +\|/gm)].map(([, count]) => Number(count));
    expect(alarms.length).toBe(RESULTS.length);
    expect(Math.max(...alarms)).toBeLessThanOrEqual(2);
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

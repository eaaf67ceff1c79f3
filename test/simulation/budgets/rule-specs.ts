import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { QueryFile } from '../../../src/language/gaql/query-file.ts';
import { checkRuleFile } from '../../../src/language/rules/file/rule-file.ts';
import type { Mode, Rule } from '../../../src/language/rules/rule.ts';

/** A rule file of the simulation. Amounts are in hundredths of what the currency's budgets are counted in. */
export interface RuleSpec {
  readonly for: 'campaign' | 'budget';
  /** Undefined for a rule for every account, which then names no amount. */
  readonly currency: 'EUR' | 'JPY' | undefined;
  readonly leastClicks: number;
  readonly change: string;
  readonly floor: number | undefined;
  readonly ceiling: number | undefined;
  readonly stepPercent: number | undefined;
  readonly cooldownDays: number | undefined;
  readonly drift: string | undefined;
  readonly mode: Mode;
}

const maybe = <Value>(...values: readonly Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

export const ruleSpec: fc.Arbitrary<RuleSpec> = fc.record({
  for: fc.constantFrom('campaign' as const, 'budget' as const),
  currency: fc.constantFrom('EUR' as const, 'EUR' as const, 'EUR' as const, 'JPY' as const),
  leastClicks: fc.constantFrom(1, 1, 60, 120, 200),
  change: fc.constantFrom(
    'decrease budget by 15%',
    'decrease budget by 60%',
    'increase budget by 10%',
    'increase budget by 35%',
    'set budget to budget * 3 / 4',
    'set budget to cost / 3',
  ),
  floor: maybe(5, 20, 40),
  ceiling: maybe(60, 100, 200),
  stepPercent: maybe(10, 20, 50),
  cooldownDays: maybe(1, 2, 5),
  drift: maybe('50% over 30 days', '20% over 3 days'),
  mode: fc.constantFrom<Mode>('apply', 'apply', 'apply', 'apply', 'apply', 'approve', 'propose'),
});

/** One that fires on every campaign that has clicks, and is held by little. */
export const keenRule: fc.Arbitrary<RuleSpec> = ruleSpec.map((spec) => ({
  ...spec,
  currency: 'EUR',
  leastClicks: 1,
  mode: 'apply',
  cooldownDays: undefined,
  stepPercent: undefined,
  change: spec.change.startsWith('set') ? 'increase budget by 35%' : spec.change,
  floor: spec.floor && (spec.change.startsWith('decrease') ? 5 : 40),
}));

/** The bounds of a decision, micros. */
export interface Bounds {
  readonly floor: bigint | undefined;
  readonly ceiling: bigint | undefined;
  readonly stepPercent: number | undefined;
  readonly cooldownDays: number | undefined;
}

const unitsOf = ({ currency }: RuleSpec, amount: number) => (currency === 'JPY' ? amount * 100 : amount);

export function boundsOf(spec: RuleSpec): Bounds {
  const money = (amount: number | undefined) =>
    amount === undefined ? undefined : BigInt(unitsOf(spec, amount)) * 1_000_000n;
  const { stepPercent, cooldownDays } = spec;
  return { floor: money(spec.floor), ceiling: money(spec.ceiling), stepPercent, cooldownDays };
}

/** The text of the file. */
export function ruleText(spec: RuleSpec): string {
  const limits = [
    spec.floor === undefined ? undefined : `floor: ${unitsOf(spec, spec.floor)}`,
    spec.ceiling === undefined ? undefined : `ceiling: ${unitsOf(spec, spec.ceiling)}`,
    spec.stepPercent === undefined ? undefined : `step: ${spec.stepPercent}%`,
    spec.cooldownDays === undefined ? undefined : `cooldown: ${spec.cooldownDays} days`,
    spec.drift === undefined ? undefined : `drift: ${spec.drift}`,
  ].filter((limit) => limit !== undefined);
  return `description: A rule of the simulation.
from: stats
for: ${spec.for}
over: 7 days
when: clicks >= ${spec.leastClicks}
${spec.currency === undefined ? '' : `currency: ${spec.currency}\n`}change: ${spec.change}
${limits.length === 0 ? '' : `limits: { ${limits.join(', ')} }\n`}mode: ${spec.mode}
`;
}

const compiled = new Map<string, Rule>();

/** The rule as the product reads it from its file. */
export function ruleOf(name: string, spec: RuleSpec, query: QueryFile): Rule {
  const text = ruleText(spec);
  const key = `${name}\n${text}`;
  const known = compiled.get(key);
  if (known) return known;
  const version = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const { rule, diagnostics } = checkRuleFile(name, text, new Map([[query.name, query]]), new Set(), { version });
  if (!rule) throw new Error(`The rule has errors: ${diagnostics.map(({ message }) => message).join(' ')}\n${text}`);
  compiled.set(key, rule);
  return rule;
}

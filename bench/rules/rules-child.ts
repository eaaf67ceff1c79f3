import { addDays } from '../../src/domain/civil-date.ts';
import { budgetId, campaignId, customerId } from '../../src/domain/ids.ts';
import type { Member, MemberGrain } from '../../src/domain/member.ts';
import { micros } from '../../src/domain/micros.ts';
import type { QueryFile } from '../../src/language/gaql/query-file.ts';
import { demandsOf, evaluateRules } from '../../src/language/rules/evaluate/evaluate-rules.ts';
import type { EvaluatedAccount } from '../../src/language/rules/evaluate/evaluated-account.ts';
import type { Rule } from '../../src/language/rules/rule.ts';
import { measure, readJob } from '../measurement.ts';
import { CUSTOMER, queryOfDays, TODAY } from '../query.ts';
import { openStore } from '../store.ts';
import { checkedRule } from './checked-rule.ts';
import { DAYS, FIRST_CAMPAIGN, RULES, type RulesJob } from './rules-job.ts';

/** What people write: sums of a week against the week before, of the month, of the quarter, of the same weekday. */
const KINDS: readonly ((step: number) => string)[] = [
  (step) => `for: campaign
over: 7 days
when: clicks >= ${30 + step} AND cost / clicks > 2.50 AND cost > 1.2 * cost over previous 7 days
change: decrease budget by 15%`,
  (step) => `for: campaign
where: campaign_name NOT LIKE 'Test%'
over: ${7 + (step % 8)} days
when: clicks >= 100 AND cost / clicks < 1.${10 + (step % 80)} AND cost >= 0.9 * 7 * budget
change: increase budget by 10%`,
  (step) => `for: campaign
over: month to date
when: cost > ${step} * budget OR ctr < 0.00${10 + (step % 80)}
change: decrease budget by ${5 + (step % 20)}`,
  (step) => `for: campaign
over: ${DAYS} days
when: cost / ${DAYS} < 0.${10 + (step % 80)} * budget AND clicks over 30 days > ${step}
change: set budget to cost / ${DAYS} * 1.1`,
  (step) => `for: campaign
over: yesterday
when: >-
  mean(clicks) same weekday over 4 weeks >= ${20 + step} AND clicks NOT BETWEEN
  mean(clicks) same weekday over 4 weeks - 3 * deviation(clicks) same weekday over 4 weeks AND
  mean(clicks) same weekday over 4 weeks + 3 * deviation(clicks) same weekday over 4 weeks
alert: { severity: warning, text: "{campaign_name}: {clicks} clicks yesterday" }`,
  (step) => `for: campaign
over: yesterday
when: coalesce(cost, 0) = 0 AND clicks over previous 7 days >= ${20 + step}
alert: { severity: critical, text: "{campaign_name} cost nothing yesterday" }`,
  (step) => `for: budget
over: 14 days
when: cost > 14 * budget * 0.${10 + (step % 80)} AND average_cpc > 2
change: increase budget by 5%`,
  (step) => `for: account
over: 30 days
when: cost > ${step}000 AND cost > 1.1 * cost over previous 30 days
alert: { severity: info, text: "{cost} in 30 days" }`,
];

/** `rules-child.js JOB`: the product's own evaluation of many rules for one account, from its table to the verdicts. */
const { database, campaigns } = readJob<RulesJob>();
const rules = manyRules(queryOfDays(DAYS));
const account: EvaluatedAccount = {
  customerId: customerId(CUSTOMER),
  currency: 'EUR',
  today: TODAY,
  lastSettled: addDays(TODAY, -1),
  settled: () => true,
  readToday: false,
  holidays: new Set(),
  highestOn: () => undefined,
  budgets: new Map(
    Array.from({ length: campaigns }, (_, index) => [
      campaignId(String(FIRST_CAMPAIGN + index)),
      {
        budgetId: budgetId(String(index + 1)),
        campaignName: undefined,
        amount: micros(BigInt(1 + (index % 500)) * 1_000_000n),
      },
    ]),
  ),
};
const state = await openStore(database);
try {
  let evaluated = 0;
  await measure(
    async () => {
      const members = new Map<MemberGrain, Iterable<Member>>();
      for (const demand of demandsOf(rules, account)) {
        members.set(demand.grain, await state.warehouse.members('keyword_stats', account.customerId, demand));
      }
      const evaluations = evaluateRules(
        rules,
        account,
        ({ grain }) => members.get(grain) ?? [],
        (truth) => truth !== 'false',
      );
      for (const evaluation of evaluations.values()) {
        if (evaluation.kind === 'not') throw new Error(`Evaluating: found ${evaluation.reason}.`);
        evaluated += evaluation.counts.true + evaluation.counts.false + evaluation.counts.unknown;
      }
    },
    () => {
      const expected = rules.reduce((sum, rule) => sum + (rule.for === 'account' ? 1 : campaigns), 0);
      if (evaluated !== expected) throw new Error(`Evaluating: found ${evaluated} verdicts, expected ${expected}.`);
    },
  );
} finally {
  await state.close();
}

/** {@link RULES} rules, no two alike. */
function manyRules(query: QueryFile): Rule[] {
  return Array.from({ length: RULES }, (_, index) => {
    const written = KINDS[index % KINDS.length]?.(Math.floor(index / KINDS.length)) ?? '';
    const source = `description: A rule of the benchmark.\nfrom: ${query.name}\n${written}\ncurrency: EUR\n`;
    return checkedRule(`rule-${index}`, source, query, { version: String(index) });
  });
}

import { describeAmounts } from '../budgets/describe-change.ts';
import type { Settings } from '../config/settings.ts';
import { subjectOf } from '../domain/budget-subject.ts';
import { outsideName } from '../domain/outside-text.ts';
import { count } from '../report/text-layout.ts';
import type { Decision, Subject } from '../rules/decision.ts';
import type { AccountDecisions } from './evaluate-rules.ts';

/** What a rule would change of a subject in mode propose; undefined where it would change nothing, or is let do more. */
export type OnlyShown = (
  rule: string,
  subject: Subject,
) =>
  | {
      /** Two lines for each budget, and one that says why nothing was changed. */
      readonly lines: readonly string[];
      /** Why, as a change says it; undefined where several budgets have reasons of their own. */
      readonly why: string | undefined;
    }
  | undefined;

/** A rule for an account wishes for a change of each of its budgets: what fits a message. */
const NAMED_MAX = 3;

type Change = Extract<Decision, { readonly kind: 'change' }>;

/** Whose mode stops at showing is told too: the rule's own may, where the settings let it do more. */
export function onlyShown(
  account: AccountDecisions | undefined,
  { automation: { mode }, accounts }: Settings,
): OnlyShown {
  const shown = (account?.decisions ?? []).filter(
    (one): one is Change => one.kind === 'change' && one.mode === 'propose',
  );
  const locale = account && accounts.get(account.customerId)?.locale;
  const whose = mode === 'propose' ? 'mode propose' : "the rule's mode is propose";
  const linesOf = ({ wish, ...change }: Change) => {
    const { campaignId, campaignName } = wish.subject;
    const named = { ...change, campaignId, campaignName };
    return [`Suggested: ${subjectOf(named, 'with id', outsideName)}`, describeAmounts(named, locale)];
  };
  return (rule, subject) => {
    const own = shown.filter(({ wish }) => wish.rule.name === rule && wish.subject === subject);
    const [first] = own;
    if (first === undefined) return undefined;
    const rest = own.length - NAMED_MAX;
    const lines = [
      ...own.slice(0, NAMED_MAX).flatMap(linesOf),
      ...(rest > 0 ? [`and ${count(rest, 'more budget')}`] : []),
      `Nothing was changed: ${whose}`,
    ];
    return { lines, why: own.length === 1 ? first.reasonWithoutAmounts : undefined };
  };
}

import { addDays, type DateRange } from '../../src/domain/civil-date.ts';
import type { Rule } from '../../src/language/rules/rule.ts';
import { queryOfDays, TODAY } from '../query.ts';
import { checkedRule } from '../rules/checked-rule.ts';

/** A year that rules are tried on, and the longest window before its first day. */
export const TRIED_DAYS = 365;
export const TABLE_DAYS = TRIED_DAYS + 30;

/** What the children of the backtest's part are told. */
export interface BacktestJob {
  readonly database: string;
  readonly campaigns: number;
  /** Of the year, counted back from its last: 1 is what one evaluation costs. */
  readonly triedDays: number;
}

export const triedDays = (days: number): DateRange => ({ from: addDays(TODAY, -days), to: addDays(TODAY, -1) });

/** A rule for every keyword, with a long window, a week beside the one before, and single days. */
const RULE = `description: Tell which keywords had a week far from the one before, and a day far from those of its weekday.
from: keyword_stats
for: keyword
over: 7 days
when: >-
  impressions over 30 days >= 1000 AND clicks < 0.5 * clicks over previous 7 days AND
  clicks on yesterday < mean(clicks) same weekday over 4 weeks
alert: { severity: info, text: "{ad_group_criterion_keyword_text}: {clicks} clicks" }
`;

export const keywordRule = (): Rule => checkedRule('keywords', RULE, queryOfDays(TABLE_DAYS), { version: '0' });

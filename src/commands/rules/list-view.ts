import type { Frozen } from '../../domain/frozen.ts';
import type { RuleDescription } from '../../language/rules/file/describe-rule.ts';
import { type Column, list, text } from '../../storage/columns/column.ts';
import { type Listing, memberPart } from '../../views/kit/listing.ts';
import { writtenParts } from '../../views/rule-parts.ts';
import { count } from '../../views/text/text-layout.ts';

export interface DescribedRules {
  readonly rules: readonly RuleDescription[];
  readonly frozen: Frozen | undefined;
}

export const RULE_COLUMNS: readonly Column<RuleDescription>[] = [
  text('name', 'The name of the rule file.', 'name', { title: 'Rule' }),
  text('version', 'A digest of the file.', 'version'),
  text('description', 'The description in the file.', 'description'),
  text('from', 'The table that the rule reads.', 'from'),
  text('for', 'The kind of subject: campaign, budget, account, ad_group or keyword.', 'for', { title: 'For' }),
  text('does', 'The actions of the rule: change, alert or both.', doesWhat, { title: 'Does', only: ['people'] }),
  text('where', 'The filter on subjects.', 'where'),
  text('over', 'The days that the condition covers.', 'over'),
  text('when', 'The condition.', 'when'),
  text('lasting', 'The number of days that the condition must last.', 'lasting', { only: ['json'] }),
  text('conversion_window', 'Days until a day is complete for conversions.', 'conversionWindow', { only: ['json'] }),
  text('currency', 'The currency of the amounts.', 'currency'),
  text('change', 'The change of the budget.', 'change'),
  text('pace', 'How the rule paces the budget.', 'pace', { only: ['json'] }),
  text('limits', 'The limits of the change.', 'limits'),
  text('alert', 'The alert.', 'alert'),
  text('mode', 'The mode in the file.', 'mode', { title: 'Mode', shown: modeOf }),
  text('includes', '`paused campaigns` if the rule includes them.', 'includes'),
  text('effective_mode', 'The stricter of the mode in the file and `automation.mode`.', 'effectiveMode'),
  list('accounts', 'The accounts of a target, with the campaigns that it selects.', 'accounts', { only: ['json'] }),
  list('says', 'The text of the file.', ruleTexts, { title: 'Says', only: ['people'], long: 'lines' }),
];

export const RULES_LIST: Listing<DescribedRules> = {
  name: 'rules list',
  about: 'One row per rule, as written in its file ([keys](rules.md#the-keys)).',
  evident: [
    'name',
    'description',
    'from',
    'for',
    'where',
    'over',
    'when',
    'currency',
    'change',
    'limits',
    'alert',
    'mode',
  ],
  none: 'No rules.',
  frozen: ({ frozen }) => frozen,
  after: ({ rules }) => (rules.length === 0 ? [] : [`${count(rules.length, 'rule')}.`]),
  parts: [memberPart('rules', { title: 'Rules', columns: RULE_COLUMNS })],
};

function doesWhat({ change, alert }: RuleDescription): string {
  return [change === undefined ? '' : 'change', alert === undefined ? '' : 'alert']
    .filter((word) => word !== '')
    .join(', ');
}

function modeOf({ mode, effectiveMode, change }: RuleDescription): string {
  if (change === undefined) return 'alert';
  return mode === effectiveMode ? mode : `${effectiveMode} (${mode} in the file)`;
}

function ruleTexts(rule: RuleDescription): string[] {
  return [rule.description, ...writtenParts(rule).map(([name, words]) => `${name} ${words}`)];
}

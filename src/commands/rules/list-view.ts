import type { Frozen } from '../../domain/frozen.ts';
import type { RuleDescription } from '../../rules/file/describe-rule.ts';
import { count } from '../../text/text-layout.ts';
import { type Column, list, text } from '../../views/kit/column.ts';
import { type Listing, memberPart } from '../../views/kit/listing.ts';

export interface DescribedRules {
  readonly rules: readonly RuleDescription[];
  readonly frozen: Frozen | undefined;
}

export const RULE_COLUMNS: readonly Column<RuleDescription>[] = [
  text('name', 'The name of its file.', 'name', { title: 'Rule' }),
  text('version', 'The digest of the file.', 'version'),
  text('description', "The file's own description.", 'description'),
  text('from', 'The table that it reads.', 'from'),
  text('for', 'campaign, budget, account, ad_group or keyword.', 'for', { title: 'For' }),
  text('does', 'What it does.', doesWhat, { title: 'Does', only: ['people'] }),
  text('where', 'Which of them.', 'where'),
  text('over', 'The days.', 'over'),
  text('when', 'The condition.', 'when'),
  text('lasting', 'For how many days it must be true.', 'lasting', { only: ['json'] }),
  text('currency', 'The currency of its amounts.', 'currency'),
  text('change', 'The change of the budget.', 'change'),
  text('pace', 'How it paces.', 'pace', { only: ['json'] }),
  text('limits', 'How far it may go.', 'limits'),
  text('alert', 'The alert.', 'alert'),
  text('mode', 'The mode in the file.', 'mode', { title: 'Mode', shown: modeOf }),
  text('includes', '`paused campaigns` where the rule counts them.', 'includes'),
  text('effective_mode', "The narrower of the file's mode and the settings'.", 'effectiveMode'),
  list('says', 'What the file says, in its own words.', wordsOf, { title: 'Says', only: ['people'], long: 'lines' }),
];

export const RULES_LIST: Listing<DescribedRules> = {
  name: 'rules list',
  about: 'A row for each rule, as its file says it.',
  none: 'There is no rule.',
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

function wordsOf({ description, from, where, over, when, lasting, change, ...rest }: RuleDescription): string[] {
  const { pace, limits, includes, alert } = rest;
  const said = { reads: from, where, over, when, lasting, change, pace, limits, includes, alert };
  return [
    description,
    ...Object.entries(said).flatMap(([name, words]) => (words === undefined ? [] : [`${name} ${words}`])),
  ];
}

import type { Frozen } from '../domain/frozen.ts';
import type { RuleDescription } from '../rules/describe-rule.ts';
import { frozenBlock } from './sections.ts';
import { count, oneLine, type TextLayout } from './text-layout.ts';
import { textTable } from './text-table.ts';
import { toJson } from './to-json.ts';
import { wrapText } from './wrap-text.ts';

/** Every rule with what it does and how far it may go, for a person at a terminal. */
export function renderRuleList(
  rules: readonly RuleDescription[],
  frozen: Frozen | undefined,
  layout: TextLayout,
): string {
  const { width, bold } = layout;
  const table = textTable(
    [
      { title: 'Rule', align: 'left', flexible: true },
      { title: 'For', align: 'left' },
      { title: 'Does', align: 'left' },
      { title: 'Mode', align: 'left' },
    ],
    rules.map((rule) => [rule.name, rule.for, doesWhat(rule), modeOf(rule)]),
    width,
  );
  const details = rules.map((rule) =>
    [
      bold(rule.name),
      wrapText(oneLine(rule.description), width, '  ', '  '),
      ...parts(rule).map((part) => wrapText(oneLine(part), width, '  ', '    ')),
    ].join('\n'),
  );
  const end = rules.length === 0 ? 'There is no rule.' : `${count(rules.length, 'rule')}.`;
  const blocks = [frozenBlock(frozen, layout), ...(rules.length === 0 ? [] : [table, ...details]), end];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** What the file says, in its own words. */
function parts({ from, where, over, when, lasting, change, pace, limits, includes, alert }: RuleDescription): string[] {
  const said = { reads: from, where, over, when, lasting, change, pace, limits, includes, alert };
  return Object.entries(said).flatMap(([name, text]) => (text === undefined ? [] : [`${name} ${text}`]));
}

function doesWhat({ change, alert }: RuleDescription): string {
  return [...(change === undefined ? [] : ['change']), ...(alert === undefined ? [] : ['alert'])].join(', ');
}

function modeOf({ mode, effectiveMode, change }: RuleDescription): string {
  if (change === undefined) return 'alert';
  return mode === effectiveMode ? mode : `${effectiveMode} (${mode} in the file)`;
}

export function renderRuleListJson(rules: readonly RuleDescription[]): string {
  return toJson({ rules: rules.map(ruleObject) });
}

export function ruleObject(rule: RuleDescription): object {
  const { effectiveMode, for: subject, ...same } = rule;
  return { ...same, for: subject, effective_mode: effectiveMode };
}

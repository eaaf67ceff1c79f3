import type { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

const asked = (text: string) => ({ messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] });

/** Tasks that people start from a menu of their host. */
export function addPrompts(server: McpServer): void {
  server.registerPrompt(
    'morning-check',
    { title: 'Morning check', description: 'The day in ten lines: all that needs a person, with figures.' },
    () =>
      asked(`Call status, alerts, pacing and changes (since yesterday).
Say in at most ten lines what needs a person today: failed runs, firing alerts, targets off course, open suggestions.
Name the account, the amount with its currency, and as_of. If nothing needs a person, say so in one line.`),
  );
  server.registerPrompt(
    'explain-change',
    {
      title: 'Explain a budget change',
      description: 'Why a budget changed, who decided, and what followed.',
      argsSchema: z.object({ campaign: z.string().max(19).regex(/^\d+$/).describe('Campaign id') }),
    },
    ({ campaign }) =>
      asked(`Call changes for campaign ${campaign}. For each change, say when, both amounts, the reason,
and who decided. If a rule decided, call explain_rule for it and this campaign. Then query cost and conversions of the 14 complete days
before and after. Say if the figures agree with the reason. Do not guess.`),
  );
  server.registerPrompt(
    'write-rule',
    {
      title: 'Write a rule',
      description: 'From your own words to a rule that is checked and back-tested.',
      argsSchema: z.object({ purpose: z.string().max(1000).describe('The purpose of the rule') }),
    },
    ({ purpose }) =>
      asked(`Write one rule file for this purpose: ${JSON.stringify(purpose)}.
Read the resource pacekeeper://rule-language first, and call tables for the names of columns.
Begin with mode: propose, a floor, a ceiling and a cooldown.
Then call check_query with kind "rule" until it has no error. Then call backtest_rule with the draft.
Show the rule, its errors if any, and what it would have done. A person saves the file, not you.`),
  );
}

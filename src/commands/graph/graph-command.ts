import { type Command, command } from '../cli/command.ts';
import { FORMAT, LISTED, TOLD } from '../cli/common-options.ts';
import { argument, flag, type Taken } from '../cli/takes.ts';

const SEND = { to: argument(), text: argument(), format: FORMAT };
export type SendOptions = Taken<typeof SEND>;

const DIAGNOSE = { format: FORMAT, revoke: flag('revoke the permissions if the diagnosis recommends it') };
export type DiagnoseOptions = Taken<typeof DIAGNOSE>;

export const graphCommand: Command = {
  name: 'graph',
  summary: 'Send a text, and list the numbers, pages and permissions of the graph interface.',
  examples: ['pacekeeper graph phone-numbers', 'pacekeeper graph diagnose-pages'],
  commands: [
    command({
      name: 'send',
      summary: 'Send one text now. TO is a number with its country code, digits only.',
      takes: SEND,
      examples: [
        'pacekeeper graph send 4915112345678 "The budgets are frozen until noon."',
        'pacekeeper graph send 4915112345678 "The report is ready." --format json',
      ],
      about: `The sender is GRAPH_PHONE_NUMBER_ID, or the only number of
GRAPH_BUSINESS_ACCOUNT_ID. Free text arrives only within 24 hours of the
recipient's last message.`,
      opens: { what: 'areas' },
      load: async () => (await import('./run-graph.ts')).runSend,
    }),
    command({
      name: 'phone-numbers',
      summary: 'List the numbers that the business account can send from.',
      takes: LISTED,
      examples: ['pacekeeper graph phone-numbers', 'pacekeeper graph phone-numbers --format csv'],
      opens: { what: 'areas' },
      load: async () => (await import('./run-graph.ts')).runPhoneNumbers,
    }),
    command({
      name: 'page-tokens',
      summary: "List the pages that the user's token reaches. No token is shown.",
      takes: LISTED,
      examples: ['pacekeeper graph page-tokens', 'pacekeeper graph page-tokens --format json'],
      opens: { what: 'areas' },
      load: async () => (await import('./run-graph.ts')).runPageTokens,
    }),
    command({
      name: 'permissions',
      summary: 'List the permissions that the user granted to the app or declined.',
      takes: LISTED,
      examples: ['pacekeeper graph permissions', 'pacekeeper graph permissions --format json'],
      opens: { what: 'areas' },
      load: async () => (await import('./run-graph.ts')).runPermissions,
    }),
    command({
      name: 'revoke',
      summary: 'Revoke all permissions that the user granted to the app. The token then neither lists nor sends.',
      takes: TOLD,
      examples: ['pacekeeper graph revoke', 'pacekeeper graph revoke --format json'],
      opens: { what: 'areas' },
      load: async () => (await import('./run-graph.ts')).runRevoke,
    }),
    command({
      name: 'diagnose-pages',
      summary: "Find out why the user's token reaches no pages, and show how to fix it step by step.",
      takes: DIAGNOSE,
      examples: ['pacekeeper graph diagnose-pages', 'pacekeeper graph diagnose-pages --revoke'],
      opens: { what: 'areas' },
      load: async () => (await import('./run-graph.ts')).runDiagnosePages,
    }),
  ],
};

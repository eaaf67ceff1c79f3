import { ROLES } from '../../domain/role.ts';
import { command } from '../cli/command.ts';
import { dayOption, LISTED, wholeNumberOption } from '../cli/common-options.ts';
import { PERSON } from '../cli/person.ts';
import { argument, choice, flag, option, optionList, type Taken } from '../cli/takes.ts';

const SERVE = { once: flag('handle messages already received, then exit (code 1 if messages still wait)') };
export type ServeOptions = Taken<typeof SERVE>;

const TOKEN = {
  name: option('<name>', 'name of the token, which the record shows (default: `default`, or the role)'),
  role: choice('<role>', 'what the token allows (default: viewer)', ROLES),
  list: flag('list the names and roles of tokens, never the tokens'),
  revoke: option('<name>', 'revoke a token, and end all its logins'),
};
export type TokenOptions = Taken<typeof TOKEN>;

const BY = { by: PERSON.by };
const LINK = {
  table: option('<name>', 'the published table'),
  question: option('<name>', 'the saved question of Explore'),
  columns: optionList('<name...>', 'only these columns (default: all of now)'),
  customer: optionList('<id...>', 'only these accounts'),
  from: dayOption('only days from this one'),
  to: dayOption('only days until this one'),
  where: optionList('<column=value...>', 'only rows with this value'),
  with: optionList('<table...>', 'tables of messages, clicks or the record that the question may read'),
  days: wholeNumberOption('after so many days, the link ends (default: 180)', 1, 3650),
  ...BY,
};
export type LinkOptions = Taken<typeof LINK>;

const REVOKE_LINK = { id: argument('the number of the link'), ...BY };
export type RevokeLinkOptions = Taken<typeof REVOKE_LINK>;

export const serveCommand = command({
  name: 'serve',
  summary: 'Receive delivery reports and answers to approval requests, and show the dashboard.',
  takes: SERVE,
  examples: [
    'pacekeeper serve',
    'SERVE_PORT=8080 pacekeeper serve',
    'SERVE_PUBLIC_URL=https://hooks.example.com pacekeeper serve',
  ],
  about: `Listens on 127.0.0.1:4020, or on SERVE_HOST and SERVE_PORT. Prints one JSON line
when ready. Ctrl-C stops it. See docs/serve.md to set up the providers.`,
  load: async () => (await import('./run-serve.ts')).runServe,
  commands: [
    command({
      name: 'token',
      summary: 'Create, list or revoke tokens for the dashboard and /metrics.',
      takes: TOKEN,
      examples: ['pacekeeper serve token --name anna --role approver', 'pacekeeper serve token --revoke anna'],
      about: `A token is printed once. A viewer reads every page. An approver also decides on
budgets and silences alerts. An admin also saves models.`,
      load: async () => (await import('./run-serve-token.ts')).runServeToken,
    }),
    {
      name: 'link',
      summary: 'Create, list or revoke links with which spreadsheets read a table.',
      examples: ['pacekeeper serve link create --table campaign_spend', 'pacekeeper serve link list'],
      commands: [
        command({
          name: 'create',
          summary: 'Create a read link to one table or question, and print its address once.',
          takes: LINK,
          examples: [
            'pacekeeper serve link create --table campaign_spend --customer 1234567890',
            'pacekeeper serve link create --question "Best days" --days 30',
          ],
          about: `Whoever has the address reads. It needs serve.links: true. The address can
narrow what you choose here, never widen it. See docs/serve.md.`,
          opens: { what: 'state' },
          load: async () => (await import('./run-serve-link.ts')).runCreateLink,
        }),
        command({
          name: 'list',
          summary: 'List read links, also ended ones, never their keys.',
          takes: LISTED,
          examples: ['pacekeeper serve link list', 'pacekeeper serve link list --format csv'],
          opens: { what: 'state', readOnly: true },
          load: async () => (await import('./run-serve-link.ts')).runListLinks,
        }),
        command({
          name: 'revoke',
          summary: 'Revoke a read link at once.',
          takes: REVOKE_LINK,
          examples: ['pacekeeper serve link revoke 3', 'pacekeeper serve link revoke 3 --by anna'],
          opens: { what: 'state' },
          load: async () => (await import('./run-serve-link.ts')).runRevokeLink,
        }),
      ],
    },
  ],
});

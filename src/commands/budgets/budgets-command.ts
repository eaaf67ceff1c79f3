import { type Command, command } from '../../cli/command.ts';
import { CUSTOMERS, campaignOption, FORMAT, LISTING_FORMAT, wholeNumberOption } from '../../cli/common-options.ts';
import { PERSON } from '../../cli/person.ts';
import { argument, flag, type Taken, withDefault } from '../../cli/takes.ts';

const HISTORY_SHOWN = 50;

const LIST = {
  all: flag('also those that were approved, rejected or have expired'),
  customer: CUSTOMERS,
  format: LISTING_FORMAT,
};
export type ListOptions = Taken<typeof LIST>;

const SHOW = { reference: argument(), format: FORMAT };
export type ShowOptions = Taken<typeof SHOW>;

const HISTORY = {
  campaign: campaignOption('only the budget of this campaign'),
  customer: CUSTOMERS,
  limit: withDefault(wholeNumberOption('how many', 1, 1_000_000), HISTORY_SHOWN),
  format: LISTING_FORMAT,
};
export type HistoryOptions = Taken<typeof HISTORY>;

const DECIDE = { code: argument(), ...PERSON, format: FORMAT };
export type DecideOptions = Taken<typeof DECIDE>;

const UNDO = {
  id: argument(),
  ...PERSON,
  beyondLimits: flag("also beyond floor, ceiling and the account's bounds; needs --by"),
  despiteFreeze: flag('also while budgets are frozen; the record says so'),
  format: FORMAT,
};
export type UndoOptions = Taken<typeof UNDO>;

const RECONCILE = { format: FORMAT };
export type ReconcileOptions = Taken<typeof RECONCILE>;

export const budgetsCommand: Command = {
  name: 'budgets',
  summary: 'Look at budget changes, approve them, take them back.',
  examples: ['pacekeeper budgets list', 'pacekeeper budgets approve K7PX --why "agreed with the client"'],
  commands: [
    command({
      name: 'list',
      summary: 'Show the changes that await approval, and those whose outcome is not known.',
      takes: LIST,
      examples: [
        'pacekeeper budgets list',
        'pacekeeper budgets list --all --customer 123-456-7890 --format csv > proposals.csv',
      ],
      opens: { what: 'state', readOnly: true },
      load: async () => (await import('./run-look.ts')).runList,
    }),
    command({
      name: 'show',
      summary: 'Show one proposal (by its code) or change (by its number, B12) with everything that happened to it.',
      takes: SHOW,
      examples: ['pacekeeper budgets show K7PX', 'pacekeeper budgets show B12 --format json'],
      opens: { what: 'state', readOnly: true },
      load: async () => (await import('./run-look.ts')).runShow,
    }),
    command({
      name: 'history',
      summary: 'Show the budget changes of the past, newest first: who changed what, when and why.',
      takes: HISTORY,
      examples: [
        'pacekeeper budgets history --campaign 17204104729',
        'pacekeeper budgets history --limit 1000 --format csv > changes.csv',
      ],
      opens: { what: 'state', readOnly: true },
      load: async () => (await import('./run-look.ts')).runHistory,
    }),
    command({
      name: 'approve',
      summary: 'Make a change that awaits approval, if the budget still has the amount it was decided on.',
      takes: DECIDE,
      examples: [
        'pacekeeper budgets approve K7PX',
        'pacekeeper budgets approve K7PX --by anna --why "agreed with the client"',
      ],
      opens: { what: 'all', lock: true },
      isRun: true,
      load: async () => (await import('./run-decide.ts')).runApprove,
    }),
    command({
      name: 'reject',
      summary: 'Refuse a change that awaits approval.',
      takes: DECIDE,
      examples: [
        'pacekeeper budgets reject K7PX',
        'pacekeeper budgets reject K7PX --by anna --why "the sale ends tomorrow"',
      ],
      opens: { what: 'state', lock: true },
      load: async () => (await import('./run-decide.ts')).runReject,
    }),
    command({
      name: 'undo',
      summary: 'Set a budget back to what it was before a change, if nothing else has changed it since.',
      takes: UNDO,
      examples: [
        'pacekeeper budgets undo B12 --why "sale ends later"',
        'pacekeeper budgets undo B12 --despite-freeze --by anna --why "it did damage"',
      ],
      about: `It is not held back by the cooldown, the mode or the change of the day, but by a
freeze, by any later change, and by limits: the floor and the ceiling that the
change was made within, daily_total and daily_exposure of the account.`,
      opens: { what: 'all', lock: true },
      isRun: true,
      load: async () => (await import('./run-undo.ts')).runUndo,
    }),
    command({
      name: 'reconcile',
      summary: 'Find out what became of changes whose outcome is not known, without waiting for the next report.',
      takes: RECONCILE,
      examples: ['pacekeeper budgets reconcile', 'pacekeeper budgets reconcile --format json'],
      opens: { what: 'all', lock: true },
      isRun: true,
      load: async () => (await import('./run-decide.ts')).runReconcile,
    }),
  ],
};

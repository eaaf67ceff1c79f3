import { InvalidArgumentError } from 'commander';
import { multiply, parseDecimal, type Rational, rational } from '../../domain/rational.ts';
import { type Command, command } from '../cli/command.ts';
import {
  CUSTOMERS,
  campaignOption,
  dayOption,
  FORMAT,
  LISTING_FORMAT,
  TOLD,
  VERBOSE,
  wholeNumberOption,
} from '../cli/common-options.ts';
import { PERSON } from '../cli/person.ts';
import {
  argument,
  argumentList,
  flag,
  option,
  optionalArgumentList,
  optionOf,
  type Taken,
  withDefault,
} from '../cli/takes.ts';

const HISTORY_SHOWN = 50;

const LIST = {
  all: flag('also approved, rejected and expired approval requests'),
  customer: CUSTOMERS,
  format: LISTING_FORMAT,
};
export type ListOptions = Taken<typeof LIST>;

const SHOW = { reference: argument(), format: FORMAT };
export type ShowOptions = Taken<typeof SHOW>;

const HISTORY = {
  campaign: campaignOption('only the budget of this campaign'),
  customer: CUSTOMERS,
  since: dayOption('only from this day (UTC) on'),
  by: option('<name>', 'only what this person did'),
  rule: option('<name>', 'only changes of this rule or target, and decisions about them'),
  limit: withDefault(wholeNumberOption('how many changes to show', 1, 1_000_000), HISTORY_SHOWN),
  format: LISTING_FORMAT,
};
export type HistoryOptions = Taken<typeof HISTORY>;

const REJECT = { code: argumentList(), ...PERSON, format: FORMAT };
export type RejectOptions = Taken<typeof REJECT>;

const APPROVE = {
  code: optionalArgumentList('one code or several; CODE=AMOUNT is a smaller step'),
  rule: option('<name>', 'all waiting changes of this rule or target, decreases first'),
  amount: option('<amount>', 'a smaller step, such as 60.00: between the present amount and the proposed one'),
  part: optionOf('<percent>', 'only this share of each change, such as 50%', readPart),
  ...PERSON,
  format: FORMAT,
  ...VERBOSE,
};
export type ApproveOptions = Taken<typeof APPROVE>;

function readPart(text: string): Rational {
  const [, digits = ''] = /^(\d{1,3}(?:\.\d{1,2})?)%?$/.exec(text) ?? [];
  const percent = parseDecimal(digits);
  if (percent !== undefined && percent.n > 0n && percent.n <= 100n * percent.d)
    return multiply(percent, rational(1n, 100n));
  throw new InvalidArgumentError('Expected a percentage above 0% and at most 100%, such as 50%.');
}

const UNDO = {
  id: argument(),
  ...PERSON,
  beyondLimits: flag("allow amounts beyond floor, ceiling and the account's bounds; needs --by"),
  despiteFreeze: flag('undo even if budgets are frozen; the audit trail records this'),
  format: FORMAT,
};
export type UndoOptions = Taken<typeof UNDO>;

export const budgetsCommand: Command = {
  name: 'budgets',
  summary: 'List, approve, reject and undo budget changes.',
  examples: ['pacekeeper budgets list', 'pacekeeper budgets approve K7PX --why "agreed with the client"'],
  commands: [
    command({
      name: 'list',
      summary: 'Show changes awaiting approval and changes whose outcome is unknown.',
      takes: LIST,
      examples: [
        'pacekeeper budgets list',
        'pacekeeper budgets list --all --customer 123-456-7890 --format csv > requests.csv',
      ],
      opens: { what: 'state', readOnly: true },
      load: async () => (await import('./run-budgets.ts')).runList,
    }),
    command({
      name: 'show',
      summary: 'Show one approval request (by code) or one change (by number, such as B12), with all its events.',
      takes: SHOW,
      examples: ['pacekeeper budgets show K7PX', 'pacekeeper budgets show B12 --format json'],
      opens: { what: 'state', readOnly: true },
      load: async () => (await import('./run-budgets.ts')).runShow,
    }),
    command({
      name: 'history',
      summary: 'Show past budget changes, newest first: who changed what, when and why.',
      takes: HISTORY,
      examples: [
        'pacekeeper budgets history --campaign 17204104729',
        'pacekeeper budgets history --since 2026-10-01 --by anna',
        'pacekeeper budgets history --limit 1000 --format csv > changes.csv',
      ],
      opens: { what: 'state', readOnly: true },
      load: async () => (await import('./run-budgets.ts')).runHistory,
    }),
    command({
      name: 'approve',
      summary: 'Approve and make changes, if the budgets still have the amounts from the time of the request.',
      takes: APPROVE,
      examples: [
        'pacekeeper budgets approve K7PX',
        'pacekeeper budgets approve K7PX --amount 60.00',
        'pacekeeper budgets approve --rule northwind --part 50%',
        'pacekeeper budgets approve K7PX --by anna --why "agreed with the client"',
      ],
      opens: { what: 'all', lock: true },
      isRun: true,
      load: async () => (await import('./run-budgets.ts')).runApprove,
    }),
    command({
      name: 'reject',
      summary: 'Reject changes that await approval.',
      takes: REJECT,
      examples: [
        'pacekeeper budgets reject K7PX',
        'pacekeeper budgets reject K7PX --by anna --why "the sale ends tomorrow"',
      ],
      opens: { what: 'state', lock: true },
      load: async () => (await import('./run-budgets.ts')).runReject,
    }),
    command({
      name: 'undo',
      summary: 'Set a budget back to its amount before a change, unless the budget changed again since.',
      takes: { ...UNDO, ...VERBOSE },
      examples: [
        'pacekeeper budgets undo B12 --why "sale ends later"',
        'pacekeeper budgets undo B12 --despite-freeze --by anna --why "it did damage"',
      ],
      about: `Mode and cooldown do not stop an undo. A freeze, a later change, a floor, a
ceiling or a bound of the account stops it. The options override some of these.`,
      opens: { what: 'all', lock: true },
      isRun: true,
      load: async () => (await import('./run-budgets.ts')).runUndo,
    }),
    command({
      name: 'reconcile',
      summary: 'Find the outcome of changes in doubt, without waiting for the next report.',
      takes: { ...TOLD, ...VERBOSE },
      examples: ['pacekeeper budgets reconcile', 'pacekeeper budgets reconcile --format json'],
      opens: { what: 'all', lock: true },
      isRun: true,
      load: async () => (await import('./run-budgets.ts')).runReconcile,
    }),
  ],
};

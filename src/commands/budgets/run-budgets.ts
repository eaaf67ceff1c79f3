import { chosenChange } from '../../domain/chosen-change.ts';
import { InputError } from '../../domain/errors.ts';
import type { CustomerId } from '../../domain/ids.ts';
import { type Micros, parseAmount } from '../../domain/micros.ts';
import { unknownAccounts } from '../../engine/accounts/unknown-names.ts';
import type { App, StateApp } from '../../engine/app.ts';
import { killSwitch } from '../../engine/budgets/kill-switch.ts';
import type { PersonalResult } from '../../engine/budgets/personal-change.ts';
import { type AskBounds, undoIntent } from '../../engine/budgets/personal-change.ts';
import { type Actor, actOnBudgets } from '../../engine/change/act-on-budget.ts';
import { approveProposals, codesOf, rejectProposals, SEE_WAITING } from '../../engine/change/approve-proposal.ts';
import { reconcileBudgets } from '../../engine/change/change-budgets.ts';
import { accountFacts } from '../../engine/evaluate/evaluate-rules.ts';
import type { ReportResult } from '../../language/results/report-result.ts';
import { guardTotalsOf } from '../../language/rules/decide/account-totals.ts';
import { refusalWords } from '../../language/rules/decide/refusal-words.ts';
import { intentById } from '../../storage/records/budgets/intent-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { BUDGETS_HISTORY } from '../../views/budgets-history.ts';
import { BUDGETS_LIST, budgetsWaiting, PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { budgetHistory, unknownNames } from '../../views/change-log.ts';
import { jsonObject } from '../../views/kit/json.ts';
import type { CommandApp } from '../cli/command.ts';
import type { ToldOptions } from '../cli/common-options.ts';
import { actorOf } from '../cli/person.ts';
import { EXIT, tellError } from '../cli/print-error.ts';
import { jsonOrText, listingIn } from '../cli/print-listing.ts';
import { tellRun } from '../cli/tell-run.ts';
import type {
  ApproveOptions,
  HistoryOptions,
  ListOptions,
  RejectOptions,
  ShowOptions,
  UndoOptions,
} from './budgets-command.ts';
import { BUDGETS_SHOW, oneBudgetChange } from './show-view.ts';

const standing = (app: StateApp) => killSwitch(app, app.settings.paths.data).standing();

/** A warning, because an account without data may be read later. */
async function tellUnknown(
  { log }: Pick<CommandApp, 'log'>,
  { state }: StateApp,
  customers: readonly CustomerId[],
): Promise<void> {
  const words = unknownAccounts(customers, customers.length === 0 ? [] : await allAccounts(state.db));
  if (words !== undefined) log.warn(words);
}

export async function runList(app: CommandApp<'state'>, options: ListOptions): Promise<void> {
  const { customer: customers = [], all = false, format } = options;
  const waiting = await app.open(async (opened) => {
    await tellUnknown(app, opened, customers);
    return budgetsWaiting(opened.state.db, await standing(opened), { customers, all, nowMs: opened.clock.now() });
  });
  app.output.stdout.write(listingIn(format, BUDGETS_LIST, waiting, app.output));
}

export async function runShow(app: CommandApp<'state'>, { reference, format }: ShowOptions): Promise<void> {
  const one = await app.open(async (opened) => oneBudgetChange(opened.state.db, await standing(opened), reference));
  app.output.stdout.write(listingIn(format, BUDGETS_SHOW, one, app.output));
}

export async function runHistory(app: CommandApp<'state'>, options: HistoryOptions): Promise<void> {
  const { customer: customers = [], campaign: campaignId, since: from, by, rule, limit, format } = options;
  const filter = { customers, campaignId, from, by, rule };
  const history = await app.open(async (opened) => {
    await tellUnknown(app, opened, customers);
    for (const words of await unknownNames(opened.state.db, filter)) app.log.warn(words);
    return budgetHistory(opened.state.db, await standing(opened), { ...filter, limit });
  });
  const isFiltered = customers.length > 0 || [campaignId, from, by, rule].some((value) => value !== undefined);
  const listing = isFiltered ? { ...BUDGETS_HISTORY, none: 'No budget change matches the filter.' } : BUDGETS_HISTORY;
  app.output.stdout.write(listingIn(format, listing, history, app.output));
}

export async function runApprove(app: CommandApp<'all'>, options: ApproveOptions): Promise<number> {
  const { code: named, rule, amount, part } = options;
  if ((named.length === 0) === (rule === undefined)) {
    throw new InputError('Found no change to approve, expected a code or --rule.', { nextStep: SEE_WAITING });
  }
  if (amount !== undefined && (named.length !== 1 || part !== undefined || named[0]?.includes('='))) {
    throw new InputError('--amount needs one code, and no other step.', {
      nextStep: 'For several changes, write CODE=AMOUNT.',
    });
  }
  const chosen = amount === undefined ? named.map(chosenChange) : [{ code: named[0] ?? '', amount }];
  const amounts = new Map(
    chosen.flatMap((one) => (one.amount === undefined ? [] : [[typed(one.code), amountTyped(one.amount)] as const])),
  );
  const actor = { ...actorOf(options, app), part, amounts };
  const codes = chosen.map(({ code }) => typed(code));
  const result = await app.open(async (opened) =>
    approveProposals(opened, rule === undefined ? codes : await codesOf(opened, rule), actor),
  );
  return tellRun(app, options.format, result);
}

function amountTyped(text: string): Micros {
  const amount = parseAmount(text);
  if (amount !== undefined) return amount;
  throw new InputError(`Invalid amount: found ${JSON.stringify(text)}, expected one such as 60.00.`, {
    nextStep: 'Write digits, and a point before decimals.',
  });
}

/** As JSON, the rejected change. Several codes give an array. */
export async function runReject(app: CommandApp<'state'>, options: RejectOptions): Promise<number> {
  const { output, settings, clock } = app;
  const person = actorOf(options, app);
  const { proposals, sentences, failures } = await app.open((opened) =>
    rejectProposals(opened, options.code.map(typed), person),
  );
  const rejected = proposals.map((proposal) => jsonObject(PROPOSAL_COLUMNS, proposal));
  const json = options.code.length === 1 ? rejected[0] : rejected;
  output.stdout.write(jsonOrText(options.format, json, sentences.join('\n')));
  for (const message of failures)
    tellError(output, { logFormat: settings.log.format, nowMs: clock.now() }, { message });
  return failures.length === 0 ? EXIT.done : EXIT.failed;
}

export async function runReconcile(app: CommandApp<'all'>, { format }: ToldOptions): Promise<number> {
  return tellRun(app, format, await app.open(reconcileBudgets));
}

const typed = (code: string): string => code.trim().toUpperCase();

export async function runUndo(app: CommandApp<'all'>, options: UndoOptions): Promise<number> {
  const { beyondLimits = false, despiteFreeze = false, format } = options;
  const undoer = { ...actorOf(options, app), beyondLimits, despiteFreeze };
  if (beyondLimits && options.by === undefined) {
    throw new InputError('--beyond-limits needs a name for the audit trail.', {
      nextStep: 'Add --by NAME.',
    });
  }
  return tellRun(app, format, await app.open(async (opened) => undoChange(opened, numberOf(options.id), undoer)));
}

function numberOf(text: string): bigint {
  const digits = /^[Bb]?([1-9]\d{0,17})$/.exec(text.trim())?.[1];
  if (digits !== undefined) return BigInt(digits);
  throw new InputError(`Invalid change number: found "${text}", expected one such as B12.`, {
    nextStep: 'Run pacekeeper budgets history to see the numbers.',
  });
}

export interface Undoer extends Actor {
  readonly beyondLimits?: boolean;
  readonly despiteFreeze?: boolean;
}

export async function undoChange(
  app: App,
  id: bigint,
  { by, why, beyondLimits = false, despiteFreeze = false }: Undoer,
): Promise<ReportResult> {
  const intent = await intentById(app.state.db, id);
  if (!intent) {
    throw new InputError(`No such change: B${id}.`, {
      nextStep: 'Run pacekeeper budgets history to see the changes and their numbers.',
    });
  }
  const reason = why?.trim() || 'no reason given';
  const change = { ...intent, origin: 'undo', from: intent.to, to: intent.from, reason } as const;
  const wanted = { change, by, undoes: id };
  return actOnBudgets(app, 'budgets undo', [wanted], async (_, { runId, deps, account, today }) => {
    const askBounds: AskBounds = async (undo, book) => {
      const { customerId, currency, timeZone, budgetUnitMicros } = account;
      const day = today();
      const about = { customerId, currency, timeZone, budgetUnitMicros, today: day, since: day };
      // Changes by others also count for the account's limits.
      const facts = await accountFacts(app, book, { ...about, rules: [], dryRun: true });
      const refusal = guardTotalsOf(facts, undo.budgetId, undo.to);
      return refusal && { code: refusal.code, reason: refusalWords(refusal) };
    };
    const frozen = despiteFreeze ? await deps.frozen() : undefined;
    const words = frozen === undefined ? reason : `${reason}, despite the freeze: ${frozen}`;
    const acting = despiteFreeze ? { ...deps, frozen: () => app.killSwitch.unfit() } : deps;
    const person = { by, why: words, runId, beyondLimits };
    const result = await undoIntent(acting, intent, person, today, askBounds);
    return (await app.killSwitch.unfit()) === undefined ? withWay(result, id) : result;
  });
}

function withWay(result: PersonalResult, id: bigint): PersonalResult {
  if (result.kind !== 'refused' || result.code !== 'FROZEN') return result;
  const way = `To undo it anyway, run pacekeeper budgets undo B${id} --despite-freeze.`;
  return { ...result, reason: `${result.reason} ${way}` };
}

import { InputError } from '../../domain/errors.ts';
import type { App } from '../../engine/app.ts';
import type { PersonalResult } from '../../engine/budgets/personal-change.ts';
import { type AskBounds, undoIntent } from '../../engine/budgets/personal-change.ts';
import { type Actor, actOnBudget } from '../../engine/change/act-on-budget.ts';
import { accountFacts } from '../../engine/evaluate/evaluate-rules.ts';
import type { ReportResult } from '../../language/results/report-result.ts';
import { guardTotalsOf } from '../../language/rules/decide/account-totals.ts';
import { refusalWords } from '../../language/rules/decide/refusal-words.ts';
import { intentById } from '../../storage/records/budgets/intent-table.ts';
import type { CommandApp } from '../cli/command.ts';
import { actorOf } from '../cli/person.ts';
import { tellRun } from '../cli/tell-run.ts';
import type { UndoOptions } from './budgets-command.ts';

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
  return actOnBudget(app, 'budgets undo', wanted, async ({ runId, deps, account, today }) => {
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

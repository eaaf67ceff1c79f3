import type { CommandApp } from '../../cli/command.ts';
import { personOf, reasonOf } from '../../cli/person.ts';
import { EXIT, tellError } from '../../cli/print-error.ts';
import { tellRun } from '../../cli/tell-run.ts';
import { InputError } from '../../domain/errors.ts';
import { approveProposal, rejectProposal } from '../../pipeline/change/approve-proposal.ts';
import { reconcileBudgets } from '../../pipeline/change/change-budgets.ts';
import { toJson } from '../../text/to-json.ts';
import { PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { jsonObject } from '../../views/kit/json.ts';
import type { DecideOptions, ReconcileOptions, UndoOptions } from './budgets-command.ts';
import { undoChange } from './run-undo.ts';

export async function runApprove(app: CommandApp<'all'>, options: DecideOptions): Promise<number> {
  const person = { by: personOf(options, app), why: reasonOf(options) };
  const result = await app.open((opened) => approveProposal(opened, codeOf(options.code), person));
  return tellRun(app, options.format, result);
}

export async function runReject(app: CommandApp<'state'>, options: DecideOptions): Promise<number> {
  const { output, settings, clock } = app;
  const person = { by: personOf(options, app), why: reasonOf(options) };
  const { proposal, sentence, failure } = await app.open((opened) =>
    rejectProposal(opened, codeOf(options.code), person),
  );
  output.stdout.write(
    options.format === 'json' ? `${toJson(jsonObject(PROPOSAL_COLUMNS, proposal))}\n` : `${sentence}\n`,
  );
  if (failure === undefined) return EXIT.done;
  tellError(output, { logFormat: settings.log.format, nowMs: clock.now() }, { message: failure });
  return EXIT.failed;
}

export async function runUndo(app: CommandApp<'all'>, options: UndoOptions): Promise<number> {
  const { beyondLimits = false, despiteFreeze = false } = options;
  const person = { by: personOf(options, app), why: reasonOf(options) };
  if (beyondLimits && options.by === undefined) {
    throw new InputError('--beyond-limits needs a name, for the audit trail.', {
      nextStep: 'Say who decides: --by NAME.',
    });
  }
  const how = { ...person, beyondLimits, despiteFreeze };
  const result = await app.open(async (opened) => undoChange(opened, numberOf(options.id), how));
  return tellRun(app, options.format, result);
}

export async function runReconcile(app: CommandApp<'all'>, { format }: ReconcileOptions): Promise<number> {
  return tellRun(app, format, await app.open(reconcileBudgets));
}

const codeOf = (text: string): string => text.trim().toUpperCase();

/** `B12` and `12` alike. */
function numberOf(text: string): bigint {
  const digits = /^[Bb]?([1-9]\d{0,17})$/.exec(text.trim())?.[1];
  if (digits !== undefined) return BigInt(digits);
  throw new InputError(`Found "${text}", expected the number of a change such as B12.`, {
    nextStep: 'pacekeeper budgets history shows the numbers.',
  });
}

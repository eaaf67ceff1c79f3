import { approveProposal, rejectProposal } from '../../engine/change/approve-proposal.ts';
import { reconcileBudgets } from '../../engine/change/change-budgets.ts';
import { PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { jsonObject } from '../../views/kit/json.ts';
import type { CommandApp } from '../cli/command.ts';
import { actorOf } from '../cli/person.ts';
import { EXIT, tellError } from '../cli/print-error.ts';
import { jsonOrText } from '../cli/print-listing.ts';
import { tellRun } from '../cli/tell-run.ts';
import type { DecideOptions, ReconcileOptions } from './budgets-command.ts';

export async function runApprove(app: CommandApp<'all'>, options: DecideOptions): Promise<number> {
  const person = actorOf(options, app);
  const result = await app.open((opened) => approveProposal(opened, codeOf(options), person));
  return tellRun(app, options.format, result);
}

export async function runReject(app: CommandApp<'state'>, options: DecideOptions): Promise<number> {
  const { output, settings, clock } = app;
  const person = actorOf(options, app);
  const { proposal, sentence, failure } = await app.open((opened) => rejectProposal(opened, codeOf(options), person));
  output.stdout.write(jsonOrText(options.format, jsonObject(PROPOSAL_COLUMNS, proposal), sentence));
  if (failure === undefined) return EXIT.done;
  tellError(output, { logFormat: settings.log.format, nowMs: clock.now() }, { message: failure });
  return EXIT.failed;
}

export async function runReconcile(app: CommandApp<'all'>, { format }: ReconcileOptions): Promise<number> {
  return tellRun(app, format, await app.open(reconcileBudgets));
}

function codeOf({ code }: DecideOptions): string {
  return code.trim().toUpperCase();
}

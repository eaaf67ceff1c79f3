import type { CommandApp } from '../../cli/command.ts';
import { personOf, reasonOf } from '../../cli/person.ts';
import { EXIT, tellError } from '../../cli/print-error.ts';
import { tellRun } from '../../cli/tell-run.ts';
import { approveProposal, rejectProposal } from '../../pipeline/change/approve-proposal.ts';
import { toJson } from '../../text/to-json.ts';
import { PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { jsonObject } from '../../views/kit/json.ts';
import type { DecideOptions } from './budgets-command.ts';

export async function runApprove(app: CommandApp<'all'>, options: DecideOptions): Promise<number> {
  const person = { by: personOf(options, app), why: reasonOf(options) };
  const result = await app.open((opened) => approveProposal(opened, codeOf(options), person));
  return tellRun(app, options.format, result);
}

export async function runReject(app: CommandApp<'state'>, options: DecideOptions): Promise<number> {
  const { output, settings, clock } = app;
  const person = { by: personOf(options, app), why: reasonOf(options) };
  const { proposal, sentence, failure } = await app.open((opened) => rejectProposal(opened, codeOf(options), person));
  output.stdout.write(
    options.format === 'json' ? `${toJson(jsonObject(PROPOSAL_COLUMNS, proposal))}\n` : `${sentence}\n`,
  );
  if (failure === undefined) return EXIT.done;
  tellError(output, { logFormat: settings.log.format, nowMs: clock.now() }, { message: failure });
  return EXIT.failed;
}

function codeOf({ code }: DecideOptions): string {
  return code.trim().toUpperCase();
}

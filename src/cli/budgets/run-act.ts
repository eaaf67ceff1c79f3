import { type App, withState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { InputError } from '../../domain/errors.ts';
import { approveProposal, rejectProposal } from '../../jobs/approve-proposal.ts';
import { reconcileBudgets } from '../../jobs/reconcile-budgets.ts';
import { undoChange } from '../../jobs/undo-change.ts';
import type { ReportResult } from '../../report/report-result.ts';
import { toJson } from '../../report/to-json.ts';
import { createClock } from '../../system-time.ts';
import { PROPOSAL_COLUMNS } from '../../views/budgets-list.ts';
import { jsonObject } from '../../views/render/json.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { type PersonOptions, personOf, reasonOf } from '../person.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { runJob } from '../run-job.ts';
import { tellBusy } from '../tell-busy.ts';
import { tellError } from '../tell-error.ts';

export interface ActCommandOptions extends CommonOptions, PersonOptions {
  readonly action: 'approve' | 'reject' | 'undo' | 'reconcile';
  /** The proposal's code or the change's number; empty for what needs none. */
  readonly reference: string;
  /** An undo is made although budgets are frozen. */
  readonly despiteFreeze?: boolean;
  readonly format: 'table' | 'json';
  /** Of an undo: also where limits or the account's bounds refuse it. */
  readonly beyondLimits?: boolean;
}

/** The commands by which a person changes what becomes of budgets. Answers with the exit code. */
export async function runAct(options: ActCommandOptions, process: Process): Promise<number> {
  const { folder, env, output } = process;
  const { action, reference, format } = options;
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const command = `pacekeeper budgets ${action}`;
  const person = action === 'reconcile' ? undefined : { by: personOf(options, process), why: reasonOf(options) };
  const run = (job: (app: App) => Promise<ReportResult>) => runJob(settings, clock, process, { command, format }, job);
  if (person === undefined) return run(reconcileBudgets);
  if (action === 'approve') return run((app) => approveProposal(app, codeOf(reference), person));
  if (action === 'undo') {
    const { beyondLimits = false, despiteFreeze = false } = options;
    if (beyondLimits && options.by === undefined) {
      throw new InputError('--beyond-limits needs a name, for the audit trail.', {
        nextStep: 'Say who decides: --by NAME.',
      });
    }
    return run((app) => undoChange(app, numberOf(reference), { ...person, beyondLimits, despiteFreeze }));
  }
  const log = await openLog(output, settings, clock);
  const outcome = await withState(settings, { clock, log }, command, (app) =>
    rejectProposal(app, codeOf(reference), person),
  );
  if (outcome.kind === 'busy') return tellBusy(output, settings, outcome.holder);
  const { proposal, sentence, failure } = outcome.value;
  output.stdout.write(format === 'json' ? `${toJson(jsonObject(PROPOSAL_COLUMNS, proposal))}\n` : `${sentence}\n`);
  if (failure === undefined) return EXIT.done;
  tellError(output, { logFormat: settings.logFormat, nowMs: clock.now() }, { message: failure });
  return EXIT.failed;
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

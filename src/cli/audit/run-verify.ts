import { withApp, withState } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import { verifyAuditTrail, verifyOffline } from '../../jobs/verify-audit-trail.ts';
import { isProven, renderAudit, renderAuditJson } from '../../report/render-audit.ts';
import type { RecordHead } from '../../store/record-head.ts';
import { createClock, systemPauses } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';
import { tellBusy } from '../tell-busy.ts';

export interface VerifyCommandOptions extends CommonOptions {
  readonly offline?: boolean;
  /** One that was kept elsewhere, as it was printed. */
  readonly head?: RecordHead;
  readonly format: 'table' | 'json';
}

/** The audit verify command. Answers with the exit code. */
export async function runVerify(options: VerifyCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const deps = { clock, pauses: systemPauses, log: await openLog(output, settings, clock), looksOnly: true };
  const command = 'pacekeeper audit verify';
  const outcome = options.offline
    ? await withState(settings, deps, command, (app) => verifyOffline(app, options.head))
    : await withApp(settings, deps, command, (app) => verifyAuditTrail(app, options.head));
  if (outcome.kind === 'busy') return tellBusy(output, settings, outcome.holder);
  const { value } = outcome;
  output.stdout.write(
    options.format === 'json' ? `${renderAuditJson(value)}\n` : renderAudit(value, textLayout(output)),
  );
  return isProven(value) ? EXIT.done : EXIT.failed;
}

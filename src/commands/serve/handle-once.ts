import { type AppDeps, open } from '../../app.ts';
import type { Settings } from '../../config/settings.ts';
import { BusyError } from '../../domain/errors.ts';
import {
  answeringFrom,
  type HandledBeside,
  handleInbox,
  handleInboxBeside,
  undeliveredAnswers,
} from '../../engine/answers/handle-inbox.ts';
import type { App } from '../../engine/app.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { SERVE } from '../../engine/folder/take-folder.ts';
import { deliverAlerts } from '../../engine/tell/deliver-alerts.ts';
import type { Inbox } from '../../storage/inbox/inbox.ts';
import { errorSentences } from '../cli/print-error.ts';

/** Returns true if messages are still waiting. Never throws. */
export async function handleOnce(settings: Settings, deps: AppDeps, inbox: Inbox): Promise<boolean> {
  const { log } = deps;
  try {
    if ((await inbox.countWaiting()) === 0 && !(await isUntold(settings, deps))) return false;
    if (deps.stop?.aborted) return true;
    const beside = await open(settings, deps, { what: 'all' }, (app) => deliverAfter(app, handleInboxBeside));
    for (const failure of beside.failures) log.warn(failure);
    if (beside.decisions === 0) {
      for (const line of beside.waits) log.info(line);
      return beside.later;
    }
    if (deps.stop?.aborted) return true;
    const handled = await open(settings, deps, { what: 'all', lock: SERVE }, (app) => deliverAfter(app, handleInbox));
    for (const failure of handled.failures) log.warn(failure);
    for (const line of handled.waits) log.info(line);
    return handled.later || (await inbox.waiting()).some(({ kind }) => kind === 'message');
  } catch (error) {
    if (error instanceof BusyError) log.info(`An answer waits: ${error.message}`);
    else log.warn(`Cannot handle messages now, trying again later: ${errorSentences(error)}`);
    return true;
  }
}

async function isUntold(settings: Settings, deps: AppDeps): Promise<boolean> {
  if (!(await (await engineOf(settings)).hasRecords())) return false;
  return open(settings, deps, { what: 'state' }, async (app) => (await undeliveredAnswers(app)).length > 0);
}

async function deliverAfter(app: App, handle: (app: App) => Promise<HandledBeside>): Promise<HandledBeside> {
  const handled = await handle(app);
  if (!handled.toDeliver) return handled;
  if (app.stop.aborted) return { ...handled, later: true };
  const lost = await deliver(app, handled);
  const untold = (await undeliveredAnswers(app)).length;
  const answers = untold === 1 ? 'One answer is' : `${untold} answers are`;
  const waits =
    untold === 0
      ? []
      : [`${answers} not delivered yet. pacekeeper retries for one day. Run pacekeeper alerts list to see why.`];
  const later = handled.later || lost.length > 0 || untold > 0;
  return { ...handled, failures: [...handled.failures, ...lost], waits: [...handled.waits, ...waits], later };
}

/** Failed deliveries must not delay decisions. */
async function deliver(app: App, { answered }: HandledBeside): Promise<readonly string[]> {
  try {
    return (await deliverAlerts(await answeringFrom(app, answered))).failures;
  } catch (error) {
    return [`Cannot deliver messages now, trying again later: ${app.redact(errorSentences(error))}`];
  }
}

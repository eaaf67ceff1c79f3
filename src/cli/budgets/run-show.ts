import { besideState, type StateApp } from '../../app.ts';
import { killSwitch } from '../../budgets/kill-switch.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { createClock } from '../../system-time.ts';
import { BUDGETS_HISTORY, budgetHistory } from '../../views/budgets-history.ts';
import { BUDGETS_LIST, budgetsWaiting } from '../../views/budgets-list.ts';
import { BUDGETS_SHOW, oneBudgetChange } from '../../views/budgets-show.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import type { Output } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { ListingFormat } from '../print-listing.ts';
import type { Process } from '../process.ts';
import { listingIn } from '../show-listing.ts';

export interface ShowCommandOptions extends CommonOptions {
  readonly what: 'list' | 'one' | 'history';
  readonly reference?: string;
  readonly campaign?: CampaignId;
  readonly customer?: readonly CustomerId[];
  readonly limit?: number;
  /** Proposals that wait no more, too. */
  readonly all?: boolean;
  readonly format: ListingFormat;
}

/** The commands that show budget changes. Answers with the exit code. */
export async function runShow(options: ShowCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = await openLog(output, settings, clock);
  output.stdout.write(
    await besideState(settings, { clock, log, looksOnly: true }, (app) => textOf(app, options, output)),
  );
  return EXIT.done;
}

async function textOf(app: StateApp, options: ShowCommandOptions, output: Output): Promise<string> {
  const { customer: customers = [], campaign, limit = 1, format, all = false } = options;
  const { db } = app.state;
  const frozen = await killSwitch(app, app.settings.paths.data).standing();
  switch (options.what) {
    case 'list': {
      const waiting = await budgetsWaiting(db, frozen, { customers, all, nowMs: app.clock.now() });
      return listingIn(format, BUDGETS_LIST, waiting, output);
    }
    case 'one':
      return listingIn(format, BUDGETS_SHOW, await oneBudgetChange(db, frozen, options.reference ?? ''), output);
    default: {
      const history = await budgetHistory(db, frozen, { customers, campaign, limit });
      return listingIn(format, BUDGETS_HISTORY, history, output);
    }
  }
}

import { besideState, type StateApp } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { budgetHistory, budgetsWaiting, oneBudgetChange } from '../../jobs/look-at-budgets.ts';
import {
  historyRows,
  renderHistory,
  renderHistoryJson,
  renderOne,
  renderOneJson,
  renderWaiting,
  renderWaitingJson,
  waitingRows,
} from '../../report/render-budgets.ts';
import { createClock } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { openLog } from '../open-log.ts';
import { type Output, textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import { type ListingFormat, listingText } from '../print-listing.ts';
import type { Process } from '../process.ts';

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
  const { customer: customers = [], campaign, limit = 1, format } = options;
  switch (options.what) {
    case 'list': {
      const waiting = await budgetsWaiting(app, customers, options.all ?? false);
      return listingText(output, format, 'budgets list', {
        table: (layout) => renderWaiting(waiting, layout),
        json: () => renderWaitingJson(waiting),
        rows: () => waitingRows(waiting),
      });
    }
    case 'one': {
      const one = await oneBudgetChange(app, options.reference ?? '');
      return format === 'json' ? `${renderOneJson(one)}\n` : renderOne(one, textLayout(output));
    }
    default: {
      const history = await budgetHistory(app, { customers, campaign, limit });
      return listingText(output, format, 'budgets history', {
        table: (layout) => renderHistory(history, layout),
        json: () => renderHistoryJson(history),
        rows: () => historyRows(history),
      });
    }
  }
}

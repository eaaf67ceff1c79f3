import { besideState, type StateApp } from '../../app.ts';
import { readEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/read-settings.ts';
import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { createRedact } from '../../http/redact.ts';
import { budgetHistory, budgetsWaiting, oneBudgetChange } from '../../jobs/look-at-budgets.ts';
import {
  renderHistory,
  renderHistoryJson,
  renderOne,
  renderOneJson,
  renderWaiting,
  renderWaitingJson,
} from '../../report/render-budgets.ts';
import type { TextLayout } from '../../report/text-layout.ts';
import { createClock } from '../../system-time.ts';
import type { CommonOptions } from '../common-options.ts';
import { createLog, textLayout } from '../output.ts';
import { EXIT } from '../print-error.ts';
import type { Process } from '../process.ts';

export interface ShowCommandOptions extends CommonOptions {
  readonly what: 'list' | 'one' | 'history';
  readonly reference?: string;
  readonly campaign?: CampaignId;
  readonly customer?: readonly CustomerId[];
  readonly limit?: number;
  /** Proposals that wait no more, too. */
  readonly all?: boolean;
  readonly format: 'table' | 'json';
}

/** The commands that show budget changes. Answers with the exit code. */
export async function runShow(options: ShowCommandOptions, { folder, env, output }: Process): Promise<number> {
  const settings = await readSettings(folder, options, readEnvironment(folder, env));
  const clock = createClock(settings.startAtMs);
  const log = createLog(output, createRedact(settings.secrets));
  const layout = options.format === 'json' ? undefined : textLayout(output);
  const text = await besideState(settings, { clock, log }, (app) => textOf(app, options, layout));
  output.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  return EXIT.done;
}

/** As JSON without a layout. */
async function textOf(app: StateApp, options: ShowCommandOptions, layout: TextLayout | undefined): Promise<string> {
  const { customer: customers = [], campaign, limit = 1 } = options;
  switch (options.what) {
    case 'list': {
      const waiting = await budgetsWaiting(app, customers, options.all ?? false);
      return layout ? renderWaiting(waiting, layout) : renderWaitingJson(waiting);
    }
    case 'one': {
      const one = await oneBudgetChange(app, options.reference ?? '');
      return layout ? renderOne(one, layout) : renderOneJson(one);
    }
    default: {
      const history = await budgetHistory(app, { customers, campaign, limit });
      return layout ? renderHistory(history, layout) : renderHistoryJson(history);
    }
  }
}

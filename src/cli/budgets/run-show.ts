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
import type { CommandApp } from '../command.ts';
import { textLayout } from '../output.ts';
import { printListing } from '../print-listing.ts';
import type { HistoryOptions, ListOptions, ShowOptions } from './budgets-command.ts';

export async function runList(app: CommandApp<'state'>, options: ListOptions): Promise<void> {
  const { customer = [], all = false, format } = options;
  const waiting = await app.open((opened) => budgetsWaiting(opened, customer, all));
  printListing(app.output, format, 'budgets list', {
    table: (layout) => renderWaiting(waiting, layout),
    json: () => renderWaitingJson(waiting),
    rows: () => waitingRows(waiting),
  });
}

export async function runShow(app: CommandApp<'state'>, { reference, format }: ShowOptions): Promise<void> {
  const one = await app.open((opened) => oneBudgetChange(opened, reference));
  app.output.stdout.write(format === 'json' ? `${renderOneJson(one)}\n` : renderOne(one, textLayout(app.output)));
}

export async function runHistory(app: CommandApp<'state'>, options: HistoryOptions): Promise<void> {
  const { customer: customers = [], campaign, limit, format } = options;
  const history = await app.open((opened) => budgetHistory(opened, { customers, campaign, limit }));
  printListing(app.output, format, 'budgets history', {
    table: (layout) => renderHistory(history, layout),
    json: () => renderHistoryJson(history),
    rows: () => historyRows(history),
  });
}

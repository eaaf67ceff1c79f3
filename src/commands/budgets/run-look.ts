import type { StateApp } from '../../engine/app.ts';
import { killSwitch } from '../../engine/budgets/kill-switch.ts';
import { BUDGETS_HISTORY, budgetHistory } from '../../views/budgets-history.ts';
import { BUDGETS_LIST, budgetsWaiting } from '../../views/budgets-list.ts';
import type { CommandApp } from '../cli/command.ts';
import { listingIn } from '../cli/print-listing.ts';
import type { HistoryOptions, ListOptions, ShowOptions } from './budgets-command.ts';
import { BUDGETS_SHOW, oneBudgetChange } from './show-view.ts';

const standing = (app: StateApp) => killSwitch(app, app.settings.paths.data).standing();

export async function runList(app: CommandApp<'state'>, options: ListOptions): Promise<void> {
  const { customer: customers = [], all = false, format } = options;
  const waiting = await app.open(async (opened) =>
    budgetsWaiting(opened.state.db, await standing(opened), { customers, all, nowMs: opened.clock.now() }),
  );
  app.output.stdout.write(listingIn(format, BUDGETS_LIST, waiting, app.output));
}

export async function runShow(app: CommandApp<'state'>, { reference, format }: ShowOptions): Promise<void> {
  const one = await app.open(async (opened) => oneBudgetChange(opened.state.db, await standing(opened), reference));
  app.output.stdout.write(listingIn(format, BUDGETS_SHOW, one, app.output));
}

export async function runHistory(app: CommandApp<'state'>, options: HistoryOptions): Promise<void> {
  const { customer: customers = [], campaign, limit, format } = options;
  const history = await app.open(async (opened) =>
    budgetHistory(opened.state.db, await standing(opened), { customers, campaign, limit }),
  );
  app.output.stdout.write(listingIn(format, BUDGETS_HISTORY, history, app.output));
}

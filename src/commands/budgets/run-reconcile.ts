import type { CommandApp } from '../../cli/command.ts';
import { tellRun } from '../../cli/tell-run.ts';
import { reconcileBudgets } from '../../pipeline/change/change-budgets.ts';
import type { ReconcileOptions } from './budgets-command.ts';

export async function runReconcile(app: CommandApp<'all'>, { format }: ReconcileOptions): Promise<number> {
  return tellRun(app, format, await app.open(reconcileBudgets));
}

import type { StateApp } from '../app.ts';
import { warehousePath } from '../forgotten-past.ts';
import { overviewPage } from '../page/status/overview-page.ts';
import { firingAlerts } from '../store/alert-table.ts';
import { openIntents } from '../store/intent-table.ts';
import { openProposals } from '../store/proposal-table.ts';
import { pastRuns } from '../store/run-history.ts';
import { redactTexts } from './redact-texts.ts';
import { gatherReport } from './report-page.ts';

/** The report of now, below what waits and what fires. */
export async function overview(app: StateApp): Promise<string> {
  const { db } = app.state;
  const proposals = await openProposals(db, app.clock.now());
  const open = await openIntents(db);
  const [run] = await pastRuns(db, { limit: 1 });
  const firing = await firingAlerts(db, 'condition');
  const sources = { ...app, warehousePath: warehousePath(app.settings.paths.data) };
  const now = { run, proposals: proposals.length, open: open.length, firing: firing.length };
  const report = await gatherReport(sources);
  return overviewPage({ ...redactTexts(now, app.settings), report });
}

import { document } from '../../views/html/document.ts';
import { type Html, html } from '../../views/html/html.ts';
import { fold } from '../../views/html/parts.ts';
import { accountMonths } from '../../views/report/account-months.ts';
import type { ReportFacts } from '../../views/report/report-facts.ts';
import { accountDetails } from './report-account.ts';
import { courseSection } from './report-course.ts';
import { changesSection, decisionsFold } from './report-decisions.ts';
import { findingSection } from './report-finding.ts';
import { head, type Lead, needsSection, targetsSection } from './report-head.ts';
import { monthsSection } from './report-months.ts';
import { moversSection } from './report-movers.ts';
import { alertsFold, methodFold, qualityFold, runsFold } from './report-quality.ts';

export function renderReport(facts: ReportFacts, lead?: Lead): Html {
  const months = accountMonths(facts);
  const here = lead?.here;
  return html`${lead === undefined && html`<h1>Report: spend, budgets and changes</h1>\n`}${findingSection(facts, months, here)}${head(facts, lead)}${lead?.first}<div class="answer">
${courseSection(facts, months, here)}<div>${needsSection(facts, here)}${moversSection(facts, months, here)}</div></div>
${targetsSection(facts)}${monthsSection(facts, months, here)}${changesSection(facts, lead)}${decisionsFold(facts, here)}${here === undefined && detailsFold(facts)}${qualityFold(facts)}${alertsFold(facts)}${runsFold(facts)}${methodFold(facts)}`;
}

export function reportDocument(facts: ReportFacts): string {
  return document({
    title: 'pacekeeper report',
    frozen: facts.frozen,
    description: 'Spend, targets, budget changes with reasons, and data quality.',
    body: renderReport(facts),
  });
}

/** Only in the file: on the dashboard, each account has a page with these. */
function detailsFold({ accounts, budgetTables }: ReportFacts): Html | false {
  const detailed = accounts.filter(({ campaigns }) => campaigns !== undefined);
  if (detailed.length === 0) return false;
  const title = `Days, weekdays and campaigns (${detailed.length} ${detailed.length === 1 ? 'account' : 'accounts'})`;
  const more = accounts.length - detailed.length;
  return fold(
    { id: 'details', title },
    html`${more > 0 && html`<p class="note">The ${detailed.length} accounts with most clicks in the last 28 days.</p>\n`}${detailed.map((account) => accountDetails(account, budgetTables))}`,
  );
}

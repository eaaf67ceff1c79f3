import { document } from '../../html/document.ts';
import { type Html, html } from '../../html/html.ts';
import { accountSection } from './report-account.ts';
import { changesSection, decisionsSection } from './report-decisions.ts';
import type { ReportFacts } from './report-facts.ts';
import { head, type Lead, overview } from './report-overview.ts';
import { alertsSection, methodSection, qualitySection } from './report-quality.ts';

/** The content of the report page, beginning with its h1. `lead` appears below the h1. */
export function renderReport(facts: ReportFacts, lead?: Lead): Html {
  const detailed = facts.accounts.filter(({ campaigns }) => campaigns !== undefined);
  const more = facts.accounts.length - detailed.length;
  return html`${head(facts, lead)}${sectionLinks(detailed.length > 0)}${overview(facts)}${decisionsSection(facts)}${changesSection(facts)}${
    detailed.length > 0 &&
    html`<section aria-labelledby="accounts">
<h2 id="accounts">Accounts</h2>
${more > 0 && html`<p class="note">The ${detailed.length} accounts with most clicks in the last 28 days. Only in the table above: ${more} more.</p>\n`}${detailed.map((account) => accountSection(account, facts.budgetTables))}</section>
`
  }${qualitySection(facts)}${alertsSection(facts)}${methodSection(facts)}`;
}

export function reportDocument(facts: ReportFacts): string {
  return document({
    title: 'pacekeeper report',
    frozen: facts.frozen,
    description: 'Spend against budget, decisions with reasons, and data quality.',
    body: renderReport(facts),
  });
}

function sectionLinks(hasAccounts: boolean): Html {
  const links = [
    ['pacing', 'Spend against budget'],
    ['decisions', 'Decisions'],
    ['changes', 'Changes'],
    ...(hasAccounts ? [['accounts', 'Accounts']] : []),
    ['quality', 'Data quality'],
    ['alerts', 'Alerts'],
    ['method', 'Method'],
  ] as const;
  return html`<nav aria-label="Sections"><ul>${links.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>\n`;
}

import type { CampaignId, CustomerId } from '../../domain/ids.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { errorsIn } from '../../engine/evaluate/test-data.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { keyOf } from '../../engine/tell/enqueue-rule-alerts.ts';
import { subjectKey } from '../../language/rules/evaluate/subjects.ts';
import { SEVERITY_WORDS, type StateWord } from '../../storage/columns/state-words.ts';
import { firingAlerts } from '../../storage/records/alerts/alert-table.ts';
import { testFindings } from '../../storage/records/runs/data-test-table.ts';
import { TRUTH_WORDS } from '../../views/decision-columns.ts';
import { type Html, html } from '../../views/html/html.ts';
import { badge, line, ruleLink } from '../../views/html/parts.ts';
import { aside } from '../../views/html/table.ts';
import { changeText } from '../../views/html/wording.ts';
import type { KnownBudget } from '../../views/known-budgets.ts';
import { codeWord, inboxLink, ruleWords } from '../../views/recorded-decisions.ts';
import { detailWords, stateWordOf } from '../../views/report/decision-words.ts';
import { PACE_WORDS } from '../../views/report/pacing-words.ts';
import type { ReportFacts } from '../../views/report/report-facts.ts';
import { sharedCourse } from '../../views/report/shared-targets.ts';
import { folderFiles, judgeCampaign, problemOf } from '../rules/judge-rules.ts';

interface OfCampaign {
  readonly customer: CustomerId;
  readonly campaign: CampaignId;
  readonly name: string;
  readonly budget: KnownBudget | undefined;
}

/** About a rule, or about a table with a name. */
interface Said {
  readonly rule?: string;
  readonly name?: Html;
  readonly word: StateWord;
  readonly words: readonly (Html | string | undefined)[];
}

/** The record: decisions, conditions that fire, targets, and tests that stop rules. Other rules have a verdict of now. */
export async function rulesSection(app: StateApp, report: ReportFacts, own: OfCampaign): Promise<Html> {
  const { decidingRun, lastDecisions, ruleTexts } = report;
  const path = pathOf('campaign', own);
  const decided = lastDecisions.map((decision): Said => {
    const { rule, reason, code } = decision;
    const numbers = html`<details><summary>Numbers</summary><p class="log">${line(reason)}${code !== undefined && html` ${codeWord(code)}`}</p></details>`;
    const words = [
      changeText(decision),
      ruleWords({ ruleText: ruleTexts?.get(rule) }),
      detailWords(decision),
      inboxLink(decision, path),
      numbers,
    ];
    return { rule, word: stateWordOf(decision), words };
  });
  const said = [...(await stopped(app, own)), ...(await firing(app, own)), ...decided, ...targets(report, own)];
  const others = (await verdicts(app, own)).filter(({ rule }) => said.every((one) => one.rule !== rule));
  const shown = [...said, ...others.slice(0, OTHERS_MAX)].map(
    ({ rule, name = ruleLink(path, rule ?? ''), word, words }) =>
      html`<li><strong>${name}</strong> ${badge(word)}${words.map((one) => one !== undefined && html`<div class="note">${one}</div>`)}</li>`,
  );
  const rest =
    decidingRun === undefined
      ? 'No run has decided yet.'
      : html`As of run ${decidingRun}, and verdicts on its data. The pages of the <a href="${linkFrom(path, PAGES.rules.path)}">rules</a> have all numbers.`;
  return html`<section aria-labelledby="rules"><h2 id="rules">Rules and targets</h2>
${shown.length > 0 && html`<ul class="todo">${shown}</ul>`}<p class="note">${rest}</p></section>
`;
}

/** Errors of tests stop the rules that read the table. */
async function stopped(app: StateApp, { customer }: OfCampaign): Promise<Said[]> {
  const errors = redactTexts([...errorsIn(await testFindings(app.state.db), customer)], app.settings);
  return errors.map(([table, reason]) => ({
    name: aside(line(table)),
    word: ['stops rules', 'bad'],
    words: [`Rules that read this table do not run: ${line(reason)}`],
  }));
}

async function firing(app: StateApp, { customer, campaign, budget }: OfCampaign): Promise<Said[]> {
  const subjects = [
    subjectKey({ kind: 'campaign', campaignId: campaign }),
    ...(budget === undefined ? [] : [subjectKey({ kind: 'budget', budgetId: budget.budgetId })]),
  ];
  const all = (await firingAlerts(app.state.db, 'condition')).filter(
    ({ rule, dedupeKey }) =>
      rule !== undefined && subjects.some((subject) => dedupeKey === keyOf(rule, customer, subject)),
  );
  return redactTexts(all, app.settings).map(({ rule = '', severity, text, id }) => ({
    rule,
    word: [`fires, ${SEVERITY_WORDS[severity][0]}`, SEVERITY_WORDS[severity][1]],
    words: [line(text), `A${id}`],
  }));
}

const OTHERS_MAX = 20;

/** Most rules do not fire, and leave no record. Empty while the files are wrong. */
async function verdicts(app: StateApp, own: OfCampaign): Promise<Said[]> {
  const { kept } = await folderFiles(app);
  if (kept === undefined) return [];
  const judged = await judgeCampaign(app, kept, { ...own, budget: own.budget?.budgetId }).catch(problemOf);
  if (!('subjects' in judged)) return [];
  return redactTexts(judged.subjects, app.settings).map(({ rule, truth, clauses, explanation }) => {
    const deciding = clauses.filter(({ decided }) => decided).map(({ text }) => text);
    const numbers = html`<details><summary>Numbers</summary><p class="log">${line(explanation)}</p></details>`;
    return {
      rule,
      word: TRUTH_WORDS[truth],
      words: [deciding.length === 0 ? undefined : line(deciding.join('; ')), numbers],
    };
  });
}

/** A target names campaigns. Only one campaign of an account with a budget in force has the name. */
function targets({ targets: all }: ReportFacts, { customer, name, budget }: OfCampaign): Said[] {
  if (budget?.amount === undefined || budget.campaigns.length !== 1) return [];
  return (all?.rows ?? [])
    .filter((row) => [row.customerId, ...row.members].includes(customer) && row.covers.includes(name))
    .map((row) => ({
      rule: row.rule,
      word: PACE_WORDS[row.state as keyof typeof PACE_WORDS],
      words: [`Target of ${row.subject}: ${sharedCourse(row)}`],
    }));
}

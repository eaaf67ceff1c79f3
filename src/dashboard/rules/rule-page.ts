import { civilDateAt } from '../../domain/civil-date.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import { capitalised } from '../../domain/wording.ts';
import type { StateApp } from '../../engine/app.ts';
import type { KeptInputs } from '../../engine/kept-inputs.ts';
import { isRuleFile, nameOf } from '../../engine/load-inputs.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { usesLabels } from '../../language/rules/evaluate/collect-values.ts';
import { describeRule } from '../../language/rules/file/describe-rule.ts';
import { describeTarget } from '../../language/targets/target.ts';
import { lastReport } from '../../storage/records/runs/run-history.ts';
import { daysOfTarget, targetsOfRun } from '../../storage/records/runs/run-result-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { facts, figures, instant } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';
import { countText, shortDay, zoneWords } from '../../views/html/wording.ts';
import { htmlSection } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { codeWord } from '../../views/recorded-decisions.ts';
import { detailWords } from '../../views/report/decision-words.ts';
import { leadTarget, sharedCourse } from '../../views/report/shared-targets.ts';
import { writtenParts } from '../../views/rule-parts.ts';
import { exploreLink } from '../explore/explore-link.ts';
import { targetCourse } from '../report/report-course.ts';
import { stateFrame } from '../status/frame.ts';
import { BACKTEST } from '../status/page-source.ts';
import { backTestSection } from './back-test.ts';
import { explainedSection } from './explained-section.ts';
import { type FolderRule, folderFiles, folderRules, judgeRules, type Problem, problemOf } from './judge-rules.ts';
import { REFUSAL_DAYS, type RuleRecord, ruleRecords } from './rule-records.ts';
import {
  brokenFiles,
  type Counts,
  countsOf,
  inputProblem,
  modeBadge,
  subjectsText,
  timesOf,
  verdictsNote,
} from './rule-words.ts';

/** Undefined for a name that neither the folder nor the record knows. */
export async function rulePage(app: StateApp, name: string, query: URLSearchParams): Promise<string | undefined> {
  const { kept, failure } = await folderFiles(app);
  const one = kept && folderRules(kept).find(({ rule }) => rule.name === name);
  const record = (await ruleRecords(app))(name);
  const broken = kept?.inputs.findings.filter((file) => isRuleFile(file.path) && nameOf(file.path) === name) ?? [];
  if (one === undefined && broken.length === 0 && record.lastAt === undefined) return undefined;
  const path = pathOf('rule', { name });
  const problem = redactTexts({ failure, broken }, app.settings);
  const body =
    kept !== undefined && one !== undefined
      ? await rulePart(app, kept, one, record, query)
      : html`${problem.failure && inputProblem(problem.failure)}${brokenFiles(problem.broken) ?? (kept && html`<p class="find">The folder has no rule with this name now.</p>`)}
${figures(recordFigures(record))}${refusalsSection(path, record)}`;
  const sql = `SELECT * FROM decision WHERE rule = '${name.replaceAll("'", "''")}' ORDER BY event_id DESC`;
  return stateFrame(app, {
    path,
    title: name,
    heading: named(name),
    body: html`${body}
<p class="ways"><a href="${linkFrom(path, PAGES.rules.path)}">All rules</a>${exploreLink(path, sql, 'SQL: decisions')}</p>`,
  });
}

async function rulePart(
  app: StateApp,
  kept: KeptInputs,
  one: FolderRule,
  record: RuleRecord,
  query: URLSearchParams,
): Promise<Html> {
  const { rule, target } = one;
  const { mode } = app.settings.automation;
  const path = pathOf('rule', { name: rule.name });
  const written = redactTexts(target ? describeTarget(target, mode) : describeRule(rule, mode), app.settings);
  const found = usesLabels(rule) ? NO_LABELS : await judgeRules(app, kept, one).catch(problemOf);
  const judged = redactTexts(found, app.settings);
  const counts = 'results' in judged ? countsOf(judged.results) : undefined;
  const run = await lastReport(app.state.db);
  const unknown = counts && {
    label: 'Unknown',
    value: counts.unknown > 0 ? countText(counts.unknown) : undefined,
    note: 'for lack of data',
  };
  return html`${counts && html`<p class="find">${finding(counts, written.for)}</p>`}
<p class="scope">${written.description}</p>
${figures([{ label: 'Mode', value: modeBadge(written) }, ...(unknown ? [unknown] : []), ...recordFigures(record)])}
<p class="note">${verdictsNote(run?.startedAt)} Budgets are as they were last read. ${zoneWords('accounts' in judged ? judged.accounts : [])}</p>
${await courseOf(app, rule.name)}
${'results' in judged ? explainedSection(path, judged, written.currency) : inputProblem(judged)}
${refusalsSection(path, record)}
${await backTestSection(app, kept, one, query.get(BACKTEST))}
<section><h2>As written</h2><div class="card">${facts([['For', written.for], ...writtenParts(written).map(([name, words]) => [capitalised(name), words] as const)])}</div></section>`;
}

/** Such as "Fired for 1 of 11 campaigns." */
function finding({ subjects, fired, reasons: [reason] }: Counts, kind: string): Html {
  if (subjects === 0 && reason !== undefined) return html`Not evaluated: ${reason}.`;
  return html`Fired for <strong>${fired} of ${subjectsText(subjects, kind)}</strong>.`;
}

const NO_LABELS: Problem = {
  message: 'This rule reads labels, which are not on record.',
  nextStep: 'Run pacekeeper rules explain to see its verdicts.',
};

function recordFigures({ lastAt, outcome, refusals }: RuleRecord) {
  return [
    { label: 'Last report', value: outcome === '' ? 'nothing done' : outcome },
    {
      label: 'Last fired',
      value: lastAt === undefined ? 'never' : shortDay(civilDateAt(Date.parse(lastAt), 'UTC')),
      note: lastAt && instant(lastAt),
    },
    { label: `Refused, ${REFUSAL_DAYS} days`, value: timesOf(refusals).toLocaleString('en-US') },
  ];
}

const TARGETS_MAX = 50;

/** The month of the target that is furthest off, and the others in words. Undefined for a rule without targets. */
async function courseOf({ state: { db }, settings }: StateApp, name: string): Promise<Html | undefined> {
  const run = await lastReport(db);
  const all = run === undefined ? [] : await targetsOfRun(db, run.id);
  const own = all.filter(({ rule }) => rule === name);
  const lead = leadTarget(own);
  const days = run === undefined || lead === undefined ? [] : await daysOfTarget(db, run.id, all.indexOf(lead));
  if (own.length === 0) return undefined;
  const others = redactTexts(
    own.filter((row) => row !== lead || days.length === 0),
    settings,
  );
  const drawn = lead !== undefined && days.length > 0 && targetCourse({ ...redactTexts(lead, settings), days });
  const rest = others.length - TARGETS_MAX;
  return html`${drawn}${others.length > 0 && html`<ul>${others.slice(0, TARGETS_MAX).map((row) => html`<li>${named(row.subject)}: ${sharedCourse(row)}</li>`)}</ul>`}${rest > 0 && html`<p class="note">And ${rest} more.</p>`}`;
}

type Refused = RuleRecord['refusals'][number];

const REFUSAL_COLUMNS = [
  onPage.text('Code', ({ newest }: Refused) => newest.code, { page: ({ newest }) => codeWord(newest.code ?? '') }),
  onPage.count('Times', ({ times }: Refused) => times, { importance: 3 }),
  onPage.instant('Newest', ({ newest }: Refused) => newest.at, { importance: 2 }),
  onPage.text('Newest reason', ({ newest }: Refused) => detailWords(newest), { long: true }),
];

function refusalsSection(path: string, { refusals }: RuleRecord): Html | undefined {
  return htmlSection(path, 'Refused', `By code, last ${REFUSAL_DAYS} days`, REFUSAL_COLUMNS, refusals);
}

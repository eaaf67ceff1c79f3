import { shortLine } from '../../domain/outside-text.ts';
import { PAGES, pathOf } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import type { CheckedTest } from '../../engine/load-inputs.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { describeRule, type RuleDescription } from '../../language/rules/file/describe-rule.ts';
import { describeTarget } from '../../language/targets/target.ts';
import { TEST_WORDS } from '../../storage/columns/state-words.ts';
import { type TestFinding, testFindings, testKey } from '../../storage/records/runs/data-test-table.ts';
import { lastReport } from '../../storage/records/runs/run-history.ts';
import { type Html, html } from '../../views/html/html.ts';
import { emptyState } from '../../views/html/parts.ts';
import { counted } from '../../views/html/wording.ts';
import { htmlSection, htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { exploreLink } from '../explore/explore-link.ts';
import { stateFrame } from '../status/frame.ts';
import {
  accountsInScope,
  type FolderRule,
  folderFiles,
  folderRules,
  type Judged,
  judgeRules,
  type Problem,
  problemOf,
} from './judge-rules.ts';
import { REFUSAL_DAYS, type RuleRecord, ruleRecords } from './rule-records.ts';
import { brokenFiles, type Counts, countsOf, inputProblem, modeBadge, timesOf, verdictsNote } from './rule-words.ts';

const { path, title } = PAGES.rules;
const RULES_MAX = 500;
const TESTS_MAX = 200;
const REASON_MAX = 120;

export async function rulesPage(app: StateApp): Promise<string> {
  const { kept, failure } = await folderFiles(app);
  if (kept === undefined) {
    return stateFrame(app, { path, title, body: html`${failure && inputProblem(redactTexts(failure, app.settings))}` });
  }
  const found = folderRules(kept);
  const judged = await judgeRules(app, kept).catch(problemOf);
  const recordOf = await ruleRecords(app);
  const all = redactTexts(
    found.slice(0, RULES_MAX).map((one) => shownRule(one, judged, recordOf, app)),
    app.settings,
  );
  const tests = redactTexts(shownTests(kept.inputs.tests, await testFindings(app.state.db)), app.settings);
  const run = await lastReport(app.state.db);
  const accounts = await accountsInScope(app);
  const table = htmlTable(sheetOf(RULE_COLUMNS, all, 'people'), { caption: 'Rules and targets', path });
  return stateFrame(app, {
    path,
    title,
    body: html`${brokenFiles(redactTexts(kept.inputs.findings, app.settings))}${'message' in judged && inputProblem(redactTexts(judged, app.settings))}${
      found.length === 0
        ? emptyState('No rules.', html`Run <code>pacekeeper init</code> for examples, or write one: docs/rules.md.`)
        : html`${finding(all, found.length, accounts.length)}
<p class="scope">${verdictsNote(run?.startedAt)}</p>
<div class="card">${table}${found.length > RULES_MAX && html`<p class="note">The first ${RULES_MAX} of ${found.length}. <code>pacekeeper rules list</code> has all.</p>`}</div>`
    }
${htmlSection(path, 'Tests of data', 'As last run. An error stops the rules that read the table', TEST_COLUMNS, tests.slice(0, TESTS_MAX))}${tests.length > TESTS_MAX && html`<p class="note">The first ${TESTS_MAX} of ${tests.length}.</p>`}`,
  });
}

/** Such as "9 rules looked at 4 accounts. 4 fired." */
function finding(rules: readonly ShownRule[], count: number, accounts: number): Html {
  const firing = rules.filter(({ fired }) => fired > 0).length;
  return html`<p class="find">${counted(count, 'rule')} looked at ${counted(accounts, 'account')}. <strong>${firing === 0 ? 'None' : firing} fired.</strong></p>`;
}

interface ShownRule extends RuleRecord, Counts {
  readonly rule: RuleDescription;
  readonly isJudged: boolean;
}

function shownRule(
  { rule, target }: FolderRule,
  judged: Judged | Problem,
  recordOf: (rule: string) => RuleRecord,
  { settings }: StateApp,
): ShownRule {
  const { mode } = settings.automation;
  const own = 'results' in judged ? judged.results.filter((one) => one.rule === rule.name) : [];
  return {
    rule: target === undefined ? describeRule(rule, mode) : describeTarget(target, mode),
    isJudged: own.length > 0,
    ...recordOf(rule.name),
    ...countsOf(own),
  };
}

const RULE_COLUMNS = [
  onPage.text('Rule', ({ rule }: ShownRule) => rule.name, {
    link: ({ rule }) => pathOf('rule', { name: rule.name }),
    note: ({ rule }) => html`<span class="wraps">${rule.description}</span>`,
  }),
  onPage.text('Mode', ({ rule }: ShownRule) => rule.effectiveMode, {
    page: ({ rule }) => modeBadge(rule),
    importance: 2,
  }),
  onPage.count('Fired', ({ fired }: ShownRule) => fired, {
    importance: 3,
    shown: ({ fired, subjects, isJudged }) => (isJudged ? `${fired} of ${subjects}` : undefined),
    note: ({ unknown, notIn, reasons: [reason] }) =>
      reason === undefined ? (unknown > 0 ? `${unknown} unknown` : undefined) : reasonNote(reason, notIn),
  }),
  onPage.text('Last report', ({ outcome }: ShownRule) => outcome, { importance: 2 }),
  onPage.instant('Last fired', ({ lastAt }: ShownRule) => lastAt),
  onPage.count(`Refused, ${REFUSAL_DAYS} days`, ({ refusals }: ShownRule) => timesOf(refusals), {
    note: ({ refusals }) => codesOf(refusals),
  }),
];

function reasonNote(reason: string, accounts: number): Html {
  const words = `not in ${counted(accounts, 'account')}: ${shortLine(reason, REASON_MAX)}`;
  return html`<span class="wraps">${words}</span>`;
}

const CODES_MAX = 3;

function codesOf(refusals: RuleRecord['refusals']): string | undefined {
  const codes = refusals.slice(0, CODES_MAX).map(({ newest, times }) => `${newest.code} ${times}`);
  return codes.length === 0 ? undefined : [...codes, ...(refusals.length > CODES_MAX ? ['…'] : [])].join(', ');
}

interface ShownTest extends Pick<TestFinding, 'table' | 'name' | 'severity' | 'claim'> {
  readonly state: TestFinding['state'] | undefined;
  readonly failures: bigint;
  readonly reason: string | undefined;
}

function shownTests(tests: readonly CheckedTest[], findings: readonly TestFinding[]): ShownTest[] {
  const found = Map.groupBy(findings, testKey);
  return tests.map((test) => {
    const own = found.get(testKey(test)) ?? [];
    const { table, name, severity, claim } = test;
    const [first] = own;
    const failures = own.reduce((sum, one) => sum + one.failures, 0n);
    return { table, name, severity, claim, state: first?.state, failures, reason: first?.reason };
  });
}

const TEST_COLUMNS = [
  onPage.text('Test', ({ claim }: ShownTest) => claim, { note: ({ table, name }) => `${table}: ${name}` }),
  onPage.text('Severity', ({ severity }: ShownTest) => severity),
  onPage.state('Last run', ({ state }: ShownTest) => state ?? 'not run yet', {
    word: ({ state }) => state && TEST_WORDS[state],
    note: ({ reason }) => reason && shortLine(reason, REASON_MAX),
    importance: 3,
  }),
  onPage.count('Rows found', ({ failures }: ShownTest) => failures, {
    page: ({ failures, table, name }, here) => {
      const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
      const sql = `SELECT * FROM data_test WHERE "table" = ${text(table)} AND name = ${text(name)}`;
      return here === undefined ? undefined : exploreLink(here, sql, failures.toLocaleString('en-US'));
    },
    importance: 2,
  }),
];

import { budgetId } from '../../domain/ids.ts';
import { pathOf } from '../../domain/pages.ts';
import type { ExplainedSubject } from '../../language/results/report-result.ts';
import { accountNames, CUSTOMER } from '../../storage/columns/budget-columns.ts';
import type { Column } from '../../storage/columns/column.ts';
import { TRUTH_WORDS } from '../../views/decision-columns.ts';
import { type Html, html } from '../../views/html/html.ts';
import { section } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';
import { counted } from '../../views/html/wording.ts';
import { htmlTable } from '../../views/kit/html.ts';
import { onPage } from '../../views/kit/page-column.ts';
import { sheetOf } from '../../views/kit/sheet.ts';
import { inboxLink } from '../../views/recorded-decisions.ts';
import { decisionLine } from '../../views/report/render-decisions.ts';
import type { Judged } from './judge-rules.ts';
import { countsOf, notesOf } from './rule-words.ts';

/** Those that do not fire, beyond which the others are under a fold. */
const QUIET_MAX = 10;
/** More conditions do not fit. The explanation names all. */
const CONDITIONS_MAX = 4;

/** Each subject with its verdict and the numbers that decided. */
export function explainedSection(
  path: string,
  { results, subjects, accounts, failures }: Judged,
  currency: string | undefined,
): Html | undefined {
  const { subjects: count, reasons } = countsOf(results);
  const rows = subjects.map(accountNames(accounts));
  const quiet = rows.findIndex(({ truth }) => truth === 'false');
  const open = quiet === -1 ? rows.length : quiet + QUIET_MAX;
  const tableOf = (caption: string, some: readonly Row[]) =>
    htmlTable(sheetOf(columnsFor(rows), some, 'people'), { caption, path, none: 'No subject has data.' });
  const amounts = currency === undefined ? '' : `. Amounts in ${currency}`;
  const folded = rows.slice(open);
  const [first] = subjects;
  return section(
    'Why',
    html`<div class="card">${tableOf(`Those that fire first, with their numbers${amounts}`, rows.slice(0, open))}${folded.length > 0 && html`<details><summary>${counted(folded.length, 'more subject')}</summary>${tableOf('More that do not fire', folded)}</details>`}${first !== undefined && html`<details><summary>How the first one was computed</summary><p class="log">${first.explanation}</p></details>`}</div>
${rows.length < count && html`<p class="note">The first ${rows.length} of ${count.toLocaleString('en-US')}. <code>pacekeeper rules explain</code> has all.</p>`}
${notesOf([...reasons, ...failures].map((reason) => `Not evaluated: ${reason}.`))}`,
  );
}

type Row = ExplainedSubject & { readonly accountName: string | undefined };

function columnsFor(rows: readonly Row[]): Column<Row>[] {
  const written = rows[0]?.clauses.map((clause) => clause.written) ?? [];
  const hasColumns = written.length > 0 && written.length <= CONDITIONS_MAX;
  return [
    onPage.text('Subject', ({ subject }: Row) => subject, {
      link: ({ customerId, budgetId: budget }) =>
        budget === undefined ? undefined : pathOf('budget', { customer: customerId, budget: budgetId(budget) }),
    }),
    CUSTOMER,
    onPage.state('Verdict', ({ truth }: Row) => truth, {
      word: ({ truth }) => TRUTH_WORDS[truth],
      importance: 3,
      note: ({ decisions, alert }, path) => {
        const lines = [...decisions.map((one) => decisionLine(one)), ...(alert === undefined ? [] : [alert])];
        const [inbox] = decisions.flatMap((one) => inboxLink(one, path) ?? []);
        return lines.length === 0 ? undefined : html`<span class="wraps">${lines.join(' ')} ${inbox}</span>`;
      },
    }),
    ...(hasColumns
      ? written.map(conditionColumn)
      : [onPage.text('Why', (row: Row) => row.explanation, { long: true })]),
  ];
}

/** Conditions that decided are bold. */
function conditionColumn(title: string, index: number): Column<Row> {
  const own = ({ clauses }: Row) => clauses[index];
  const words = (row: Row) => {
    const [left, ...right] = own(row)?.values ?? [];
    return right.length === 0 ? (left ?? own(row)?.truth) : `${left} against ${right.join(', ')}`;
  };
  return onPage.text(title, words, {
    importance: 2,
    page: (row) => (own(row)?.decided ? html`<strong>${named(words(row) ?? '')}</strong>` : html`${words(row)}`),
  });
}

import { shortLine } from '../../domain/outside-text.ts';
import { EXPLORE_SCRIPT_PATH, exploreQuery, linkFrom, PAGES } from '../../domain/pages.ts';
import { may } from '../../domain/role.ts';
import type { StateApp } from '../../engine/app.ts';
import { withPublished } from '../../engine/with-published.ts';
import { isMoney, UNITS } from '../../language/gaql/catalogue/units.ts';
import { didYouMean } from '../../language/gaql/check/suggest.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { savedQuestions } from '../../storage/records/saved-question-table.ts';
import type { ExploredRows, ExploredValue, ExploreRefusal } from '../../storage/warehouse/explored.ts';
import type { DictionaryRow, PublishedDictionary } from '../../storage/warehouse/publish/published-data.ts';
import { questionsOn } from '../../storage/warehouse/publish/questions.ts';
import { type Html, html } from '../../views/html/html.ts';
import { emptyState, instant } from '../../views/html/parts.ts';
import { aside, type Cell, named, table } from '../../views/html/table.ts';
import { scriptTag } from '../live/page-script.ts';
import { stateFrame } from '../status/frame.ts';
import type { PageRequest } from '../status/page-source.ts';
import { exploreChart, type KnownMoney } from './explore-chart.ts';
import { exploreLink } from './explore-link.ts';
import { choiceFields, choiceIn, MODEL_NAME, sqlIn } from './explore-text.ts';
import { isNumberColumn, shownValue } from './explored-values.ts';
import { galleryQuestions } from './gallery.ts';

const { path, title } = PAGES.explore;
const CAPTION = 'Rows of the query';
const TITLE_MAX = 40;

type Visitor = Pick<PageRequest, 'role' | 'form' | 'explored' | 'question'>;

/** The subject of the page. `address` has the fields that lead to this query again. */
interface Asked extends Visitor {
  readonly sql: string;
  readonly fields: URLSearchParams;
  readonly address: Readonly<Record<string, string>>;
}

/** `form` proves that a form to save comes from this page. Undefined if the person cannot save. */
export async function explorePage(app: StateApp, query: URLSearchParams, visitor: Visitor): Promise<string> {
  const known = await withPublished(app, async (file) => file?.dictionary());
  const { question, explored } = visitor;
  const sql = question?.query ?? sqlIn(query);
  const address = question ? { question: question.id } : { sql };
  const chosen = choiceIn(query);
  const isChosen = Object.keys(choiceFields(chosen)).length > 0 || question === undefined;
  const fields = isChosen ? query : new URLSearchParams(question.chart);
  const asked: Asked = { ...visitor, sql, fields, address };
  const about = question?.name ?? sql.replaceAll(/\s+/g, ' ').trim();
  const body =
    known === undefined
      ? emptyState('No run has published data yet.', html`Run <code>pacekeeper report</code>.`)
      : html`${question ? headOf(question) : scope(known)}
<div class="explore"><div><div class="card">${queryBox(sql, known)}${explored?.kind === 'refused' && problems(explored, sql, known)}</div>
${explored === undefined ? gallery(known) : explored.kind === 'rows' && (await results(app, explored, asked, known))}${changes(asked)}</div>
<div>${await saved(app)}${may(visitor.role, 'share_link') && html`<p class="ways"><a href="${linkFrom(path, PAGES.links.path)}">Read links for spreadsheets</a></p>`}${dictionary(known)}</div></div>
${scriptTag(path, EXPLORE_SCRIPT_PATH)}`;
  // The browser's own history lists the queries, so it needs their beginnings.
  const titled = about === '' ? title : `${shortLine(about, TITLE_MAX)} · ${title}`;
  return stateFrame(app, { path, title: titled, heading: html`${title}`, body });
}

function scope({ asOf }: PublishedDictionary): Html {
  return html`<p class="scope">One SELECT over the published data of ${instant(asOf)}. It changes nothing.</p>\n`;
}

function headOf({ name, sentence, savedBy, savedAt, renamedBy, renamedAt }: NonNullable<Visitor['question']>): Html {
  const renamed = renamedBy !== undefined && html` Renamed by ${renamedBy}, ${instant(renamedAt)}.`;
  return html`<p class="find">${aside(sentence)}</p>
<p class="scope">Question “${named(name)}”. Saved by ${savedBy}, ${instant(savedAt)}.${renamed}</p>\n`;
}

function queryBox(sql: string, { isFile }: PublishedDictionary): Html {
  return html`<form class="act" method="get" action="${linkFrom(path, path)}">
<label for="sql" id="sql-label">SQL</label>
<textarea id="sql" name="sql" class="code" rows="10" required spellcheck="false" autocapitalize="none" autocomplete="off" data-engine="${isFile ? 'file' : 'database'}">
${sql}</textarea>
<p class="ways"><button type="submit">Run</button><span class="note" id="sql-keys">Ctrl+Enter in the editor runs the query.</span></p>
</form>
`;
}

function problems({ problems: all, at, unknown }: ExploreRefusal, sql: string, { rows }: PublishedDictionary): Html {
  const place = at && html` data-from="${at.start.offset}" data-to="${at.end.offset}"`;
  const written = new Set(sql.toLowerCase().match(/\w+/g));
  const near = rows.filter(({ table: own, column }) => column !== '' && written.has(own));
  const columns = (near.length > 0 ? near : rows).map(({ column }) => column).filter((column) => column !== '');
  const names = unknown?.kind === 'table' ? rows.map(({ table: own }) => own) : columns;
  const hint = unknown && didYouMean(unknown.name.replace(/^.*\./, ''), new Set(names));
  const line = at && sql.split('\n')[at.start.line - 1];
  return html`<div class="notice serious" role="alert"><div${place}>${all.map((problem) => html`<p>${problem}</p>`)}${hint && html`<p>${hint}</p>`}</div>${line && at.start.column <= CARET_MAX && html`<pre class="log" aria-hidden="true">${line.slice(0, CARET_MAX)}\n${' '.repeat(at.start.column - 1)}^</pre>`}</div>`;
}

/** A longer line is not repeated below its error. */
const CARET_MAX = 100;

async function results(
  { state }: StateApp,
  explored: ExploredRows,
  { sql, fields, address, form, role, question }: Asked,
  known: PublishedDictionary,
): Promise<Html> {
  const choice = choiceIn(fields);
  const kept = hidden(address);
  const accounts = await allAccounts(state.db);
  const currencies = new Map(accounts.map(({ customerId, currency }) => [customerId as string, currency]));
  const money: KnownMoney = { kindOf: moneyKinds(known), currencies };
  const chart = exploreChart({ explored, choice, money, kept, caption: CAPTION });
  const way = (words: string, more: Readonly<Record<string, string>>) =>
    html`<a href="${linkFrom(path, path)}?${String(new URLSearchParams({ ...address, ...more }))}">${words}</a>`;
  const link = way('Link to this query', choiceFields(choice));
  const files = [way('Download CSV', { format: 'csv' }), way('Excel', { format: 'xlsx' })];
  return html`${chart && html`<div class="card">${chart}</div>\n`}<div class="card"><p class="ways"><span>${countWords(explored)}</span>${link}${files}</p>
${rowsTable(explored)}</div>
${form !== undefined && question === undefined && saveForms(sql, form, choiceFields(choice), role)}`;
}

/** Amounts by the units of published columns. Names of results that end with `_micros` are amounts, too. */
function moneyKinds({ rows }: PublishedDictionary): KnownMoney['kindOf'] {
  const units = new Map(rows.flatMap(({ column, unit }) => (isMoney(unit) ? [[column, unit] as const] : [])));
  const plain = new Set(rows.flatMap(({ column, unit }) => (unit === undefined || isMoney(unit) ? [] : [column])));
  return (column) => {
    if (column.endsWith('_micros') || units.get(column) === UNITS.micros) return 'micros';
    if (units.has(column)) return 'units';
    return plain.has(column) ? 'none' : undefined;
  };
}

function countWords({ rows, count, isWhole }: ExploredRows): string {
  const all = count.toLocaleString('en-US');
  const shown = rows.length < count ? ` This page shows the first ${rows.length.toLocaleString('en-US')}.` : '';
  if (!isWhole) return `More than ${all} rows. The download ends after ${all}.${shown}`;
  return count === 1 ? '1 row.' : `${all} rows.${shown}`;
}

function rowsTable({ columns, rows }: ExploredRows): Html {
  const numeric = columns.map((_, index) => isNumberColumn(rows, index));
  return table({
    caption: CAPTION,
    columns: columns.map((name, index) => ({ title: name, numeric: numeric[index] === true })),
    rows: rows.map((row) => row.map(cellOf)),
  });
}

function cellOf(value: ExploredValue): Cell {
  return typeof value === 'string' ? named(value) : shownValue(value);
}

const hidden = (fields: Readonly<Record<string, string>>): Html =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;

function postForm(fields: Readonly<Record<string, string>>, inputs: Html, verb: string): Html {
  return html`<form class="act" method="post" action="${linkFrom(path, path)}">${hidden(fields)}
${inputs}<button type="submit">${verb}</button></form>\n`;
}

function nameInputs(id: string, name = '', sentence = ''): Html {
  return html`<label for="${id}-name">Name</label><input id="${id}-name" name="name" type="text" required maxlength="80" autocomplete="off" value="${name}">
<label for="${id}-sentence">One sentence: what does it answer?</label><input id="${id}-sentence" name="sentence" type="text" required maxlength="300" autocomplete="off" value="${sentence}">
`;
}

function saveForms(sql: string, form: string, choice: Readonly<Record<string, string>>, role: Visitor['role']): Html {
  const of = { sql, form };
  const asQuestion = postForm({ act: 'save_question', ...of, ...choice }, nameInputs('save'), 'Save question');
  const asModel = postForm(
    of,
    html`<label for="name">Save as model, named</label>
<input id="name" name="name" type="text" required pattern="${MODEL_NAME.source.slice(1, -1)}" maxlength="63" autocomplete="off" autocapitalize="none">
`,
    'Save',
  );
  return html`<div class="card"><details><summary>Save as a question that everybody can open</summary>${asQuestion}</details>
${may(role, 'save_model') && html`<details><summary>Save as a model that each run computes</summary>${asModel}</details>`}</div>\n`;
}

/** Also for a question that fails, for example because its table is gone. */
function changes({ question, form }: Asked): Html | false {
  if (question === undefined || !question.isOwn || form === undefined) return false;
  const of = { question: question.id, form };
  const inputs = nameInputs('rename', question.name, question.sentence);
  return html`<div class="card"><details><summary>Rename or delete this question</summary>${postForm({ act: 'rename_question', ...of }, inputs, 'Rename')}
${postForm({ act: 'delete_question', ...of }, html``, 'Delete this question')}</details></div>\n`;
}

async function saved({ state }: StateApp): Promise<Html | false> {
  const questions = await savedQuestions(state.db);
  const links = questions.map(
    ({ id, name, sentence }) =>
      html`<li><a href="${linkFrom(path, path)}?question=${id}">${named(name)}</a><span class="note">${named(sentence)}</span></li>`,
  );
  return (
    links.length > 0 &&
    html`<aside class="card" aria-labelledby="saved"><h2 id="saved">Saved questions</h2><ul class="saved">${links}</ul></aside>\n`
  );
}

/** The thirteen questions of the documentation are in the SQL of a file. Others run on both engines. */
function gallery({ rows, isFile }: PublishedDictionary): Html {
  const tables = Map.groupBy(rows, (row) => row.table);
  const cards = galleryQuestions()
    .filter(({ reads }) => isFile && reads.every((name) => tables.has(name)))
    .map(
      ({ title: asked, about, sql, chart }) =>
        html`<div class="card"><h3><a href="${linkFrom(path, path)}${exploreQuery(sql, chart)}">${asked}</a></h3><p class="note">${about}</p></div>\n`,
    );
  const named = Array.from(tables, ([name, parts]) => ({
    name,
    columns: parts.map(({ column }) => ({ name: column })),
  }));
  const links = questionsOn(named).map(({ title: asked, sql }) => html`<li>${exploreLink(path, sql, asked)}</li>`);
  const more = html`<ul>${links}</ul>`;
  const rest = cards.length > 0 ? html`<details><summary>More questions</summary>${more}</details>` : more;
  return html`<section><h2>Write a query, or begin with a question</h2><div class="questions">${cards}</div>${rest}</section>\n`;
}

function dictionary({ rows }: PublishedDictionary): Html {
  const tables = Map.groupBy(rows, (row) => row.table);
  return html`<aside class="card" id="dictionary" aria-labelledby="tables"><h2 id="tables">Tables</h2>${Array.from(tables, ([name, parts]) => tableFold(name, parts))}</aside>`;
}

function tableFold(name: string, parts: readonly DictionaryRow[]): Html {
  const about = parts.find(({ column }) => column === '');
  const columns = parts.filter(({ column }) => column !== '');
  return html`<details><summary><code>${name}</code></summary>
<p class="note"><span class="about">${about?.description}</span> ${exploreLink(path, `SELECT *\nFROM ${name}\nLIMIT 100`, 'Rows')}</p>
<dl>${columns.map(({ column, unit, description }) => html`<dt><code>${column}</code>${unit !== undefined && html` <small>${unit}</small>`}</dt><dd>${description}</dd>`)}</dl>
</details>
`;
}

import { exploreQuery, linkFrom, PAGES } from '../../domain/pages.ts';
import { civilDate, parseCivilDate } from '../../domain/parse-civil-date.ts';
import type { StateApp } from '../../engine/app.ts';
import { warehousePath } from '../../engine/folder/folder-paths.ts';
import type { ExploredRows, ExploredValue, ExploreRefusal } from '../../storage/warehouse/explored.ts';
import type { DictionaryRow, PublishedDictionary } from '../../storage/warehouse/publish/published-data.ts';
import { questionsOn } from '../../storage/warehouse/publish/questions.ts';
import { dayChart } from '../../views/html/chart/day-chart.ts';
import { type Html, html } from '../../views/html/html.ts';
import { emptyState, instant } from '../../views/html/parts.ts';
import { type Cell, named, table } from '../../views/html/table.ts';
import { stateFrame } from '../status/frame.ts';
import { exploreLink } from './explore-link.ts';
import { MODEL_NAME } from './explore-text.ts';

const { path, title } = PAGES.explore;
/** Like the shell of SQLite: a sum of decimals shows no rounding errors of binary fractions. */
const SHOWN_DIGITS = 15;
const CAPTION = 'Rows of the query';

/** `form` proves that a form to save the query comes from this page. Undefined if the person cannot save. */
export async function explorePage(
  app: StateApp,
  sql: string,
  form: string | undefined,
  explored: ExploredRows | ExploreRefusal | undefined,
): Promise<string> {
  const file = await app.state.warehouse.openPublished(warehousePath(app.settings.paths.data));
  const known = await file?.dictionary().finally(() => file.close());
  const body =
    known === undefined
      ? emptyState('No run has published data yet.', html`Run <code>pacekeeper report</code>.`)
      : html`<p class="scope">One SELECT over the published data of ${instant(known.asOf)}. It changes nothing.</p>
<div class="explore"><div><div class="card">${queryBox(sql)}</div><div class="card">${explored === undefined ? examples(known) : resultOf(explored, sql, form)}</div></div>
${dictionary(known)}</div>`;
  return stateFrame(app, { path, title, body });
}

function queryBox(sql: string): Html {
  return html`<form class="act" method="get" action="${linkFrom(path, path)}">
<label for="sql">SQL</label>
<textarea id="sql" name="sql" class="code" rows="8" required spellcheck="false" autocapitalize="none" autocomplete="off">
${sql}</textarea>
<button type="submit">Run</button>
</form>
`;
}

function resultOf(explored: ExploredRows | ExploreRefusal, sql: string, form: string | undefined): Html {
  if (explored.kind === 'refused') {
    return html`<div class="notice serious" role="alert">${explored.problems.map((problem) => html`<p>${problem}</p>`)}</div>`;
  }
  const csv = html`<a href="${linkFrom(path, path)}${exploreQuery(sql, { format: 'csv' })}">Download CSV</a>`;
  return html`<p class="ways"><span>${countWords(explored)}</span>${csv}</p>
${drawing(explored)}${rowsTable(explored)}${form !== undefined && saveForm(sql, form)}`;
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
  if (value === null) return undefined;
  if (typeof value === 'string') return named(value);
  if (typeof value === 'number') return Number(value.toPrecision(SHOWN_DIGITS));
  return 'integer' in value ? value.integer : `(${value.bytes} bytes)`;
}

/** Drawings are not exact, so they may round. */
function numberOf(value: ExploredValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'object' && value !== null && 'integer' in value ? Number(value.integer) : undefined;
}

function isNumberColumn(rows: ExploredRows['rows'], index: number): boolean {
  const values = rows.map((row) => row[index] ?? null).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => numberOf(value) !== undefined);
}

/** Draws the first number of each date. Ids are no quantities. */
function drawing({ columns, rows }: ExploredRows): Html | undefined {
  const isDate = (value: ExploredValue | undefined) => typeof value === 'string' && parseCivilDate(value) !== undefined;
  const dateAt = columns.findIndex((_, index) => rows.length > 1 && rows.every((row) => isDate(row[index])));
  const numberAt = columns.findIndex((name, index) => !/(?:^|_)id$/.test(name) && isNumberColumn(rows, index));
  if (dateAt === -1 || numberAt === -1) return undefined;
  const name = columns[numberAt] ?? '';
  const days = rows.toSorted((one, other) => (String(one[dateAt]) < String(other[dateAt]) ? -1 : 1));
  const x = days.map((row) => civilDate(String(row[dateAt])));
  if (new Set(x).size < x.length) {
    return html`<p class="note">For a chart, sum the rows: GROUP BY ${columns[dateAt]}.</p>`;
  }
  const values = days.map((row) => row[numberAt] ?? null);
  return dayChart({
    title: `${name} by ${columns[dateAt] ?? ''}`,
    summary: `From ${x[0]} to ${x.at(-1)}, ${x.length} values.`,
    unit: '',
    x,
    series: [
      {
        name,
        values: values.map(numberOf).map((value) => (Number.isFinite(value) ? value : undefined)),
        texts: values.map((value) => (value === null ? undefined : String(cellOf(value)))),
      },
    ],
    table: html`<p>The numbers are in the table “${CAPTION}”.</p>`,
  });
}

function saveForm(sql: string, form: string): Html {
  return html`<form class="act" method="post" action="${linkFrom(path, path)}">
<input type="hidden" name="sql" value="${sql}"><input type="hidden" name="form" value="${form}">
<label for="name">Save as model, named</label>
<input id="name" name="name" type="text" required pattern="${MODEL_NAME.source.slice(1, -1)}" maxlength="63" autocomplete="off" autocapitalize="none">
<button type="submit">Save</button>
</form>`;
}

function examples({ rows }: PublishedDictionary): Html {
  const tables = Array.from(
    Map.groupBy(rows, ({ table }) => table),
    ([name, parts]) => ({ name, columns: parts.map(({ column }) => ({ name: column })) }),
  );
  const links = questionsOn(tables).map(({ title, sql }) => html`<li>${exploreLink(path, sql, title)}</li>`);
  return html`<p>Write a query, or begin with one of these:</p><ul>${links}</ul>`;
}

function dictionary({ rows }: PublishedDictionary): Html {
  const tables = Map.groupBy(rows, (row) => row.table);
  return html`<aside class="card" aria-labelledby="tables"><h2 id="tables">Tables</h2>${Array.from(tables, ([name, parts]) => tableFold(name, parts))}</aside>`;
}

function tableFold(name: string, parts: readonly DictionaryRow[]): Html {
  const about = parts.find(({ column }) => column === '');
  const columns = parts.filter(({ column }) => column !== '');
  return html`<details><summary><code>${name}</code></summary>
<p class="note">${about?.description} ${exploreLink(path, `SELECT *\nFROM ${name}\nLIMIT 100`, 'Rows')}</p>
<dl>${columns.map(({ column, unit, description }) => html`<dt><code>${column}</code>${unit !== undefined && html` <small>${unit}</small>`}</dt><dd>${description}</dd>`)}</dl>
</details>
`;
}

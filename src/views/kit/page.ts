import type { Column } from '../../storage/columns/column.ts';
import { type DayChart, dayChart } from '../html/chart/day-chart.ts';
import { document } from '../html/document.ts';
import { type Html, html } from '../html/html.ts';
import { table, words } from '../html/table.ts';
import { counted } from '../html/wording.ts';
import { cellText } from './cells.ts';
import { htmlTable, linesOf } from './html.ts';
import { type Listing, type Part, partsFor } from './listing.ts';
import { sheetOf } from './sheet.ts';

const ROWS_MAX = 1000;
const OPEN_MAX = 20;
const CHARTS_MAX = 40;

/** A page of its own: the parts that people see in a terminal, the charts, and what each column means. */
export function listingPage<Answer>(
  listing: Listing<Answer>,
  answer: Answer,
  about: { readonly title: string; readonly description: string; readonly charts: readonly DayChart[] },
): string {
  const { title, description, charts } = about;
  const parts = partsFor(listing.parts, 'page').filter(({ rows }) => rows(answer).length > 0);
  const serious = parts.filter((part) => part.serious);
  const [first, ...others] = parts.filter((part) => !part.serious);
  const drawn = charts.slice(0, CHARTS_MAX);
  const left = charts.length - drawn.length;
  return document({
    title: `pacekeeper ${listing.name}`,
    description,
    frozen: listing.frozen?.(answer),
    body: html`<h1>${title}</h1>
${serious.map((part) => partSection(part, answer))}${sentencesOf(listing.before?.(answer))}${first && partSection(first, answer)}${drawn.map(dayChart)}${
  left > 0 && html`<p class="note">Without a chart: ${left.toLocaleString('en-US')}.</p>\n`
}${others.map((part) => partSection(part, answer))}${sentencesOf(listing.after?.(answer))}${meanings(parts)}`,
  });
}

function sentencesOf(lines: readonly string[] = []): Html[] {
  return lines.map((line) => html`<p>${line}</p>\n`);
}

function partSection<Answer>({ title, columns, rows, serious }: Part<Answer>, answer: Answer): Html {
  const all = rows(answer);
  const own = all.slice(0, ROWS_MAX);
  const short = columns.filter(({ long }) => !long);
  if (short.length === 0) {
    const lines = sheetOf(columns, own, 'people').rows.flat().map(cellText);
    return html`<section${serious === true && html` class="notice serious"`}><h2>${title}</h2>\n<ul>${lines.map((line) => html`<li>${linesOf(line)}</li>`)}</ul></section>\n`;
  }
  const listed = html`${htmlTable(sheetOf(short, own, 'people'), { caption: title })}${longTexts(columns, own)}${
    all.length > ROWS_MAX &&
    html`<p class="note">The first ${counted(ROWS_MAX, 'row')} of ${all.length.toLocaleString('en-US')}. Use --format json for all.</p>\n`
  }`;
  const folded = html`<details><summary>${counted(all.length, 'row')}</summary>\n${listed}</details>\n`;
  return html`<section class="listing"><h2>${title}</h2>\n${all.length > OPEN_MAX ? folded : listed}</section>\n`;
}

/** As in a terminal, long texts are below the table, because they would make its rows high. */
function longTexts(columns: readonly Column<unknown>[], rows: readonly unknown[]): Html | false {
  const [first, ...others] = sheetOf(columns, rows, 'people').columns;
  const long = others.filter((column) => column.long);
  const texts = sheetOf(long as Column<unknown>[], rows, 'people').rows.map((cells) => cells.map(cellText).join('\n'));
  const named = texts.flatMap((text, index) => {
    const name = first === undefined ? '' : cellText({ column: first as Column<unknown>, row: rows[index] });
    return text === '' ? [] : [html`<li><strong>${name}</strong>: ${linesOf(text)}</li>`];
  });
  return named.length > 0 && html`<ul>${named}</ul>\n`;
}

/** In documentation, meanings have links to other pages. */
const plain = (meaning: string) => meaning.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');

function meanings<Answer>(parts: readonly Part<Answer>[]): Html {
  const columns = parts.flatMap((part) => sheetOf(part.columns, [], 'people').columns);
  const named = new Map(columns.flatMap(({ title, meaning }) => (title ? [[title, plain(meaning)] as const] : [])));
  const caption = 'Columns';
  return html`<details><summary>${caption}</summary>\n${table({ caption, columns: words('Column', 'Meaning'), rows: [...named] })}</details>\n`;
}

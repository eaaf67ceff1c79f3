import { instantText } from '../../domain/civil-date.ts';
import { linkFrom, PAGES } from '../../domain/pages.ts';
import { may } from '../../domain/role.ts';
import type { StateApp } from '../../engine/app.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { readLinks } from '../../storage/records/read-link-table.ts';
import { savedQuestions } from '../../storage/records/saved-question-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { emptyState } from '../../views/html/parts.ts';
import { htmlSection } from '../../views/kit/html.ts';
import { LINK_COLUMNS, LINKS_LIST, type ShownLink, shownLink } from '../../views/links-list.ts';
import { stateFrame } from '../status/frame.ts';
import type { PageRequest } from '../status/page-source.ts';
import { guardedTables, publishedNow } from './link-source.ts';

const { path } = PAGES.links;

const DAY = html` type="date"`;
const DAYS = html` type="text" inputmode="numeric" value="180"`;

/** Only for those who may share. `form` proves that a form comes from this page. */
export async function linksPage(
  app: StateApp,
  { role, form }: Pick<PageRequest, 'role' | 'form'>,
): Promise<string | undefined> {
  if (!may(role, 'share_link')) return undefined;
  const now = instantText(app.clock.now());
  const links = (await readLinks(app.state.db)).map((link) => shownLink(link, now)).toReversed();
  const shown = redactTexts(links, app.settings);
  const valid = shown.filter(({ state }) => state === 'valid');
  const isOn = app.settings.serve.links;
  const body = html`<p class="scope">With a read link, a spreadsheet reads one table or question. Each person who has its address reads, too.</p>
${isOn ? undefined : html`<p class="notice">Read links are off. Set <code>serve.links: true</code> and start <code>pacekeeper serve</code> again.</p>`}
${isOn && form !== undefined && (await makeForm(app, form))}
${shown.length === 0 ? emptyState(LINKS_LIST.none ?? '', html`Make one above, or with <code>pacekeeper serve link create</code>.`) : htmlSection(path, 'Links made', 'Newest first, with those that ended', LINK_COLUMNS, shown)}
${form !== undefined && valid.length > 0 && revokeForm(valid, form)}`;
  return stateFrame(app, { path, title: 'Read links', body });
}

async function makeForm(app: StateApp, form: string): Promise<Html> {
  const published = await publishedNow(app);
  const guarded = published ? await guardedTables(app, published) : new Set<string>();
  const tables = [...new Set(published?.columns.map(({ table }) => table))];
  const questions = await savedQuestions(app.state.db);
  const options = (names: readonly string[]) => names.map((name) => html`<option>${name}</option>`);
  const field = (name: string, words: string, type: Html = html` type="text"`) =>
    html`<label for="${name}">${words}</label><input id="${name}" name="${name}" autocomplete="off"${type}>\n`;
  return postForm(
    form,
    html`<label for="table">Table</label><select id="table" name="table"><option value="">none: a question</option>
<optgroup label="Figures">${options(tables.filter((name) => !guarded.has(name)))}</optgroup>
<optgroup label="Messages, clicks and the record">${options(tables.filter((name) => guarded.has(name)))}</optgroup></select>
<label for="question">Question</label><select id="question" name="question"><option value="">none: a table</option>${options(questions.map(({ name }) => name))}</select>
${field('columns', 'Columns, with commas (empty: all of now)')}${field('customer', 'Accounts, with commas (empty: all)')}${field('from', 'First day', DAY)}${field('to', 'Last day', DAY)}<label for="where">Only rows with COLUMN=VALUE, one a line</label><textarea id="where" name="where" rows="2"></textarea>
${field('with', 'Tables of the record or of clicks, if the question reads them')}${field('days', 'Days until it ends', DAYS)}`,
    'Make link',
  );
}

function revokeForm(valid: readonly ShownLink[], form: string): Html {
  const choices = valid.map(({ id, name }) => html`<option value="${id}">${id}: ${name}</option>`);
  const inputs = html`<label for="revoke">Link</label><select id="revoke" name="revoke" required>${choices}</select>\n`;
  return postForm(form, inputs, 'Revoke link');
}

function postForm(form: string, inputs: Html, verb: string): Html {
  return html`<form class="act card" method="post" action="${linkFrom(path, path)}"><input type="hidden" name="form" value="${form}">
${inputs}<p class="ways"><button type="submit">${verb}</button></p></form>\n`;
}

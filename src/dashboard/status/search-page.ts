import { subjectOf } from '../../domain/budget-change.ts';
import { customerId, isId } from '../../domain/ids.ts';
import { formatMoneyChange } from '../../domain/micros.ts';
import { linkFrom, PAGES, pathOf } from '../../domain/pages.ts';
import type { StateApp } from '../../engine/app.ts';
import { nameOf, ruleFilesIn } from '../../engine/load-inputs.ts';
import { redactTexts } from '../../engine/redact-texts.ts';
import { withPublished } from '../../engine/with-published.ts';
import { intentById } from '../../storage/records/budgets/intent-table.ts';
import { proposalByCode } from '../../storage/records/budgets/proposal-table.ts';
import { allAccounts } from '../../storage/records/runs/account-table.ts';
import { type Html, html } from '../../views/html/html.ts';
import { line, section } from '../../views/html/parts.ts';
import { named } from '../../views/html/table.ts';
import { counted } from '../../views/html/wording.ts';
import { stateFrame } from './frame.ts';

const { path } = PAGES.search;
const ASKED_MAX = 100;
const FOUND_MAX = 20;

interface Found {
  readonly words: string;
  readonly about: string | undefined;
  readonly href: string;
}

/** Finds accounts and campaigns by a part of their name. Finds changes by their number, such as B12, or their code. */
export async function searchPage(app: StateApp, query: URLSearchParams): Promise<string> {
  const asked = (query.get('q') ?? '').trim().slice(0, ASKED_MAX);
  const groups =
    asked === ''
      ? []
      : [
          { title: 'Accounts', found: await accountsLike(app, asked) },
          { title: 'Campaigns', found: await campaignsLike(app, asked) },
          { title: 'Rules', found: rulesLike(app, asked) },
          { title: 'Changes', found: await changesNamed(app, asked) },
        ];
  const count = groups.reduce((sum, { found }) => sum + Math.min(found.length, FOUND_MAX), 0);
  const isWhole = groups.every(({ found }) => found.length <= FOUND_MAX);
  const said =
    asked === ''
      ? 'Type a part of a name, an id, or a change such as B12.'
      : count === 0
        ? 'Nothing found. Names match in any part; ids and changes match whole.'
        : `${isWhole ? '' : 'More than '}${counted(count, 'result')}.`;
  return stateFrame(app, {
    path,
    title: 'Search',
    body: html`<form class="act" action="${linkFrom(path, path)}"><label for="q">Accounts, campaigns, rules, changes</label><input id="q" type="search" name="q" value="${asked}"${asked === '' && ' autofocus'}><button type="submit">Search</button></form>
<p role="status">${said}</p>
${groups.map(({ title, found }) => section(title, found.length > 0 && list(redactTexts(found, app.settings))))}`,
  });
}

function list(found: readonly Found[]): Html {
  const shown = found.slice(0, FOUND_MAX);
  const more = found.length - shown.length;
  return html`<ul class="todo">${shown.map(({ words, about, href }) => html`<li><a href="${linkFrom(path, href)}">${named(line(words))}</a>${about !== undefined && html`<span class="note">${named(line(about))}</span>`}</li>`)}</ul>${more > 0 && html`<p class="note">And more. Type more of the name.</p>`}`;
}

const holds = (name: string | undefined, part: string) => name?.toLowerCase().includes(part.toLowerCase()) === true;
const withoutDashes = (text: string) => text.replaceAll('-', '');

async function accountsLike({ state }: StateApp, asked: string): Promise<Found[]> {
  const accounts = await allAccounts(state.db);
  return accounts
    .filter(({ customerId: id, name }) => holds(name, asked) || id === withoutDashes(asked))
    .map(({ customerId: id, name }) => ({ words: name ?? id, about: id, href: pathOf('account', { customer: id }) }));
}

function campaignsLike(app: StateApp, asked: string): Promise<Found[]> {
  return withPublished(app, async (file) => {
    if (file === undefined) return [];
    const accounts = new Map((await file.accounts()).map((one) => [one.customerId, one.name]));
    const campaigns = await file.campaigns(await file.campaignsNamed(asked, [], FOUND_MAX + 1));
    return campaigns.map(({ customerId: customer, campaignId, name = `campaign ${campaignId}` }) => ({
      words: name,
      about: accounts.get(customer) ?? customer,
      href: pathOf('campaign', { customer, campaign: campaignId }),
    }));
  });
}

function rulesLike({ settings }: StateApp, asked: string): Found[] {
  const rules = (ruleFilesIn(settings.paths.rules) ?? []).map(nameOf).filter((rule) => holds(rule, asked));
  return rules.map((rule) => ({ words: rule, about: undefined, href: pathOf('rule', { name: rule }) }));
}

async function changesNamed({ state }: StateApp, asked: string): Promise<Found[]> {
  const id = /^B?(\d+)$/i.exec(asked)?.[1];
  const change = id !== undefined && isId(id) ? await intentById(state.db, BigInt(id)) : undefined;
  const proposal = change ?? (await proposalByCode(state.db, asked.toUpperCase()));
  if (proposal === undefined) return [];
  const { from, to, currency, customerId: customer, budgetId } = proposal;
  const about = formatMoneyChange(from, to, currency);
  const href = pathOf('budget', { customer: customerId(customer), budget: budgetId });
  return [{ words: subjectOf(proposal, 'short'), about, href }];
}

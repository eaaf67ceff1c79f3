import { type CustomerId, customerId, isId } from './ids.ts';

/** A page without a title is not in the navigation. */
interface Page {
  readonly path: string;
  readonly title?: string;
}

/** In the order of the navigation. */
export const PAGES = {
  overview: { path: '/', title: 'Overview' },
  inbox: { path: '/inbox', title: 'Inbox' },
  account: { path: '/accounts/:customer' },
  budgets: { path: '/budgets', title: 'Budgets' },
  budget: { path: '/budgets/:customer/:budget' },
  campaign: { path: '/campaigns/:customer/:campaign' },
  rules: { path: '/rules', title: 'Rules' },
  rule: { path: '/rules/:name' },
  log: { path: '/log', title: 'Change log' },
  alerts: { path: '/alerts', title: 'Alerts' },
  coverage: { path: '/coverage', title: 'Coverage' },
  runs: { path: '/runs', title: 'Runs' },
  run: { path: '/runs/:id' },
  explore: { path: '/explore', title: 'Explore' },
  links: { path: '/links' },
  search: { path: '/search' },
  kit: { path: '/kit' },
} as const satisfies Readonly<Record<string, Page>>;

export const LOGIN_PATH = '/login';
export const LOGOUT_PATH = '/logout';

export type PageName = keyof typeof PAGES;

type NamesIn<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? NamesIn<First> | NamesIn<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;
type IdNames<Name extends PageName> = NamesIn<(typeof PAGES)[Name]['path']>;

export type AskedPage<Name extends PageName = PageName> = {
  readonly [Each in Name]: { readonly name: Each; readonly ids: { readonly [Id in IdNames<Each>]: string } };
}[Name];

/** An id is a number. A `name` is any text, percent-encoded. */
const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll(/:(\w+)/g, (_, id) => `(?<${id}>${id === 'name' ? "[\\w%.~!'()*-]+" : '\\d+'})`)}$`);

const PATTERNS = Object.entries(PAGES).map(([name, { path }]) => ({ name, pattern: patternOf(path) }));

export function pageAt(path: string): AskedPage | undefined {
  for (const { name, pattern } of PATTERNS) {
    const found = pattern.exec(path);
    const ids = found === null ? undefined : idsIn(found.groups ?? {});
    if (ids !== undefined) return { name, ids } as AskedPage;
  }
  return undefined;
}

function idsIn({ name, ...numbers }: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  if (!Object.values(numbers).every(isId)) return undefined;
  if (name === undefined) return numbers;
  const text = decodedName(name);
  return text === undefined ? undefined : { ...numbers, name: text };
}

/** The name of a file, without its folder. It only chooses among known names, and never becomes a path. */
const NAME = /^(?!\.{1,2}$)[^/\\\p{Cc}]{1,255}$/u;

function decodedName(written: string): string | undefined {
  try {
    const name = decodeURIComponent(written);
    return NAME.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

export function pathOf<Name extends PageName>(
  name: Name,
  ids: { readonly [Id in IdNames<Name>]: string | bigint | number },
): string {
  const values: Readonly<Record<string, string | bigint | number>> = ids;
  return PAGES[name].path.replaceAll(/:(\w+)/g, (_, id: string) => encodeURIComponent(`${values[id]}`));
}

export function exploreQuery(sql: string, more: Readonly<Record<string, string>> = {}): string {
  return `?${new URLSearchParams({ sql, ...more })}`;
}

/** Some proxies refuse longer addresses. */
const ADDRESS_MAX = 4000;

/** The page with the rows of the SELECT. Undefined if the address would be too long. */
export function explorePath(sql: string, more?: Readonly<Record<string, string>>): string | undefined {
  const path = `${PAGES.explore.path}${exploreQuery(sql, more)}`;
  return path.length > ADDRESS_MAX ? undefined : path;
}

/** A relative link, because a proxy can serve all pages below another path. */
export function linkFrom(here: string, path: string): string {
  const depth = here.split('/').length - 2;
  return `${depth > 0 ? '../'.repeat(depth) : './'}${path.slice(1)}`;
}

export const HEALTH_PATH = '/health';
export const METRICS_PATH = '/metrics';
/** Server-sent events about a run in progress. */
export const LIVE_PATH = '/live';
export const SCRIPT_PATH = '/page.js';
export const EXPLORE_SCRIPT_PATH = '/explore.js';
/** A provider loads this address, or pacekeeper for a mail. The query contains the signature. */
export const PICTURE_PATH = '/pictures/:customer/month.png';

/** The name of a read link and its format. The query contains the key. */
export const TABLES_PATH = '/tables/:file';

/** Agents call tools here. */
export const AGENTS_PATH = '/mcp';

const PICTURE = patternOf(PICTURE_PATH);

export function picturedCustomer(path: string): CustomerId | undefined {
  const id = PICTURE.exec(path)?.groups?.customer ?? '';
  return isId(id) ? customerId(id) : undefined;
}

export function picturePath(customer: CustomerId): string {
  return PICTURE_PATH.replace(':customer', customer);
}

const PLAIN_PATHS: readonly string[] = [
  HEALTH_PATH,
  METRICS_PATH,
  LOGIN_PATH,
  LOGOUT_PATH,
  LIVE_PATH,
  SCRIPT_PATH,
  EXPLORE_SCRIPT_PATH,
  AGENTS_PATH,
];

/** Safe to log, because the result contains no text from the visitor. */
export function declaredPath(path: string): string | undefined {
  if (PLAIN_PATHS.includes(path)) return path;
  if (picturedCustomer(path) !== undefined) return PICTURE_PATH;
  if (/^\/tables\/[^/]+$/.test(path)) return TABLES_PATH;
  const page = pageAt(path);
  return page && PAGES[page.name].path;
}

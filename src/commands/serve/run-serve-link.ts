import { randomBytes } from 'node:crypto';
import { type LinkSource, linkSource } from '../../dashboard/links/link-source.ts';
import { digestOf } from '../../dashboard/server/access-tokens.ts';
import { instantText, minuteText } from '../../domain/civil-date.ts';
import { InputError } from '../../domain/errors.ts';
import { type CustomerId, readCustomerId } from '../../domain/ids.ts';
import type { StateApp } from '../../engine/app.ts';
import { engineOf } from '../../engine/folder/engine.ts';
import { insertLink, readLinks, revokeLink } from '../../storage/records/read-link-table.ts';
import { savedQuestions } from '../../storage/records/saved-question-table.ts';
import { CUSTOMER_COLUMN, DATE_COLUMN } from '../../storage/warehouse/query-table.ts';
import { LINKS_LIST, shownLink } from '../../views/links-list.ts';
import type { CommandApp } from '../cli/command.ts';
import { type ListedOptions, refuseReversed } from '../cli/common-options.ts';
import { personOf } from '../cli/person.ts';
import { listingIn } from '../cli/print-listing.ts';
import { exploreChildSource } from './explore-child-source.ts';
import type { LinkOptions, RevokeLinkOptions } from './serve-command.ts';

const DAYS = 180;
const DAY_MS = 86_400_000;

/** Only the address goes to stdout, so that scripts can read it. */
export async function runCreateLink(app: CommandApp<'state'>, options: LinkOptions): Promise<void> {
  const { serve } = app.settings;
  if (!serve.links) refuse('Read links are off.', 'Set serve.links: true, or SERVE_LINKS=true.');
  refuseReversed(options);
  const createdBy = personOf(options, app);
  const key = `rl_${randomBytes(32).toString('base64url')}`;
  const expiresAt = instantText(app.clock.now() + (options.days ?? DAYS) * DAY_MS);
  const { id, name } = await app.open(async (opened) => {
    const link = await checkedLink(app, opened, options);
    const sha256 = digestOf(key).toString('hex');
    const nowMs = app.clock.now();
    return { name: link.name, id: await insertLink(opened.state.db, { ...link, sha256, createdBy, expiresAt }, nowMs) };
  });
  const base = serve.publicUrl ?? `http://${serve.host}:${serve.port}`;
  app.output.stdout.write(`${base}/tables/${encodeURIComponent(name)}.csv?key=${key}\n`);
  app.output.stderr.write(
    `This is link ${id}, until ${minuteText(expiresAt)}. Store it now, like a password: pacekeeper does not show it again. With .json instead of .csv, it answers JSON.\n`,
  );
}

async function checkedLink(app: CommandApp<'state'>, opened: StateApp, options: LinkOptions) {
  const { table, question, from, to } = options;
  if ((table === undefined) === (question === undefined))
    refuse('Found none or both of --table and --question, expected one.', 'Name a table or a saved question.');
  const questions = await savedQuestions(opened.state.db);
  const asked = questions.find((one) => one.name === question);
  if (question !== undefined && asked === undefined)
    refuse(
      `No question is named "${question}".`,
      `Existing questions: ${questions.map((one) => one.name).join(', ') || 'none'}.`,
    );
  const name = table ?? question ?? '';
  const questionId = asked && BigInt(asked.id);
  const named = listOf(options.with);
  const source = await linkSource(opened, { name, questionId, fixed: { named } });
  if (source.kind !== 'found')
    return refuse(source.problem, 'Run pacekeeper tables to see the tables. Name guarded ones with --with.');
  const known = source.columns ?? (await columnsOf(app, source));
  const columns = listOf(options.columns);
  const customers = listOf(options.customer).map(customerIn);
  const where = Object.fromEntries((options.where ?? []).map(conditionIn));
  const used = [
    ...columns,
    ...Object.keys(where),
    ...(customers.length > 0 ? [CUSTOMER_COLUMN] : []),
    ...(from === undefined && to === undefined ? [] : [DATE_COLUMN]),
  ];
  const unknown = used.filter((column) => !known.includes(column));
  if (unknown.length > 0) refuse(`No column ${unknown.join(', ')} in ${name}.`, `Its columns: ${known.join(', ')}.`);
  const shown = columns.length > 0 ? columns : known;
  if (new Set(shown).size < shown.length || shown.some((column) => /[\p{Cc},]/u.test(column)))
    refuse('A column is repeated, or its name has a comma or a control character.', 'Give columns names with AS.');
  return { name, questionId, fixed: { columns: shown, customers, from, to, where, named } };
}

/** Asks for no row, so this is fast also for a slow question. */
async function columnsOf(app: CommandApp<'state'>, { from }: Extract<LinkSource, { kind: 'found' }>) {
  const { explored } = await engineOf(app.settings);
  if (app.exploreProgram === undefined) return refuse('Questions need the built program.', 'Run npm run build.');
  const found = await exploreChildSource(app.exploreProgram, explored).look(`SELECT * FROM ${from} LIMIT 0`, app.stop);
  if (found.kind === 'refused') return refuse(found.problems.join(' '), 'Open the question in Explore.');
  return found.columns;
}

export async function runListLinks(app: CommandApp<'state'>, { format }: ListedOptions): Promise<void> {
  const now = instantText(app.clock.now());
  const links = await app.open(async ({ state }) => (await readLinks(state.db)).map((link) => shownLink(link, now)));
  app.output.stdout.write(listingIn(format, LINKS_LIST, links, app.output));
}

export async function runRevokeLink(app: CommandApp<'state'>, options: RevokeLinkOptions): Promise<void> {
  const by = personOf(options, app);
  const id = /^\d{1,18}$/.test(options.id) ? BigInt(options.id) : 0n;
  const isRevoked = await app.open(({ state }) => revokeLink(state.db, id, by, app.clock.now()));
  if (!isRevoked) refuse('No such link, or it is revoked already.', 'Run pacekeeper serve link list to see the links.');
  app.output.stderr.write(`Link ${id} is revoked.\n`);
}

const listOf = (values: readonly string[] = []) =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');

function customerIn(text: string): CustomerId {
  const reading = readCustomerId(text);
  return reading.kind === 'ok' ? reading.id : refuse(reading.reason, 'Set accounts with --customer.');
}

function conditionIn(text: string): readonly [column: string, value: string] {
  const [, column, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (column === undefined || value === undefined || /\p{Cc}/u.test(value))
    return refuse(`Invalid condition "${text}".`, 'Write a column and its value: --where campaign_status=ENABLED.');
  return [column, value];
}

function refuse(problem: string, nextStep: string): never {
  throw new InputError(problem, { nextStep });
}

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Settings } from '../../../src/config/settings.ts';
import { freezeFile } from '../../../src/engine/budgets/kill-switch.ts';
import type { Inputs } from '../../../src/engine/load-inputs.ts';
import type { HttpClient, HttpRequest } from '../../../src/services/http/http-client.ts';
import { EXCLUDED_ACCOUNT, EXCLUDED_MANAGER, MARKET } from './services/market.ts';
import type { SeedStore } from './stores/seed-store.ts';

/** What makes the program a wrong one, to see that it is found out. */
export interface Sabotage {
  readonly http?: (client: HttpClient, folder: string) => HttpClient;
  /** What it is given in place of its queries and rules. */
  readonly inputs?: (inputs: Inputs) => Inputs;
  /** What it is given in place of its settings. */
  readonly settings?: (settings: Settings) => Settings;
  /** What it asks its files in place of a statement. */
  readonly reword?: (statement: string) => string;
  /** Called whenever processes have ended. */
  readonly afterStep?: (store: SeedStore, folder: string) => void;
  /** Called when somebody has put older records there. */
  readonly afterRestore?: (store: SeedStore, folder: string) => void;
}

const isChange = ({ url, body = '' }: HttpRequest) =>
  url.endsWith('campaignBudgets:mutate') && body.includes('"validateOnly":false');
const isValidation = ({ url, body = '' }: HttpRequest) =>
  url.endsWith('campaignBudgets:mutate') && body.includes('"validateOnly":true');
const isMessage = ({ url, method }: HttpRequest) => method === 'POST' && url.startsWith('https://messages.example');

/** Every client behaves so. */
function sending(
  send: (client: HttpClient, request: HttpRequest, folder: string) => ReturnType<HttpClient['send']>,
): Sabotage {
  return {
    http: (client, folder) => ({ send: (request) => send(client, request, folder), close: () => client.close() }),
  };
}

/** What is done to the tables, by hand. */
function doing(sql: string, column = 'clicks', table = 'stats'): Sabotage {
  return {
    afterStep(store) {
      if (store.columns(table).includes(column)) store.alter(sql);
    },
  };
}

const answerOf = (text: string) => {
  async function* body() {
    yield Buffer.from(text);
  }
  return { status: 200, headers: { 'content-type': 'application/json' }, body: body(), discard: () => undefined };
};
async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}
const onlyFirst = () => answerOf(JSON.stringify({ resourceNames: [`customers/${MARKET[0]?.id}`] }));

/** What an account's budgets were when they were first read is what they are for ever. */
function oldAmounts() {
  const first = new Map<string, string>();
  return async (client: HttpClient, request: HttpRequest) => {
    if (!/ FROM campaign"/.test(request.body ?? '')) return client.send(request);
    const answer = await client.send(request);
    const known = first.get(request.url) ?? (await textOf(answer.body));
    if (answer.status === 200) first.set(request.url, known);
    return { ...answerOf(known), status: answer.status };
  };
}

/** After a change was refused, an account's budgets are what they were when they were read before. */
function asBeforeRefusals() {
  const before = new Map<string, string>();
  const refused = new Set<string>();
  return async (client: HttpClient, request: HttpRequest, folder: string) => {
    const account = `${folder} ${/customers\/\d+/.exec(request.url)?.[0]}`;
    const isReading = / FROM campaign"/.test(request.body ?? '');
    const answer = await client.send(request);
    if (!isReading && !isChange(request)) return answer;
    const text = await textOf(answer.body);
    if (isReading && answer.status === 200 && !refused.has(account)) before.set(account, text);
    if (isChange(request) && /"error"|"partialFailureError"/.test(text)) refused.add(account);
    const said = isReading && refused.has(account) ? (before.get(account) ?? text) : text;
    return { ...answer, body: answerOf(said).body };
  };
}

function withoutLimit(limit: 'step' | 'floor'): Sabotage {
  const forget = (rule: Inputs['rules'][number]) => ({ ...rule, limits: { ...rule.limits, [limit]: undefined } });
  return { inputs: (inputs) => ({ ...inputs, rules: inputs.rules.map(forget) }) };
}

interface Answered {
  results?: { readonly resourceName?: string }[];
  readonly error?: unknown;
  partialFailureError?: unknown;
}

/** What it takes the answer to a change for. */
const believing = (change: (answer: Answered, names: readonly string[]) => void): Sabotage =>
  sending(async (client, request) => {
    const answer = await client.send(request);
    if (!isChange(request) || answer.status !== 200) return answer;
    const text = await textOf(answer.body);
    if (!text.startsWith('{')) return answerOf(text);
    const told = JSON.parse(text) as Answered;
    const { operations } = JSON.parse(request.body ?? '') as { operations: { update: { resourceName: string } }[] };
    const names = operations.map(({ update }) => update.resourceName);
    if (told.error === undefined) change(told, names);
    return answerOf(JSON.stringify(told));
  });
const named = (names: readonly string[]) => names.map((resourceName) => ({ resourceName }));

/** It asks its files something else; each of its words must be there, or it would be no sabotage any more. */
const asking = (words: string, others: string): Sabotage => ({
  reword: (statement) => statement.replaceAll(words, others),
});

const loud = ({ alerts }: Settings) =>
  new Map([...alerts.recipients].map(([name, one]) => [name, { ...one, quietHours: undefined }]));
/** Each is a defect that the program could have. */
export const SABOTAGES: Readonly<Record<string, Sabotage>> = {
  'sends another amount than recorded': sending((client, request) => {
    if (!isChange(request)) return client.send(request);
    const body = request.body?.replace(
      /"amountMicros":"(\d+)"/,
      (_, amount: string) => `"amountMicros":"${BigInt(amount) + 10_000n}"`,
    );
    return client.send({ ...request, body: body ?? '' });
  }),
  'reports a change that it did not send': sending((client, request) =>
    client.send(
      isChange(request)
        ? { ...request, body: request.body?.replace('"validateOnly":false', '"validateOnly":true') ?? '' }
        : request,
    ),
  ),
  'checks the kill switch too early': sending((client, request, folder) => {
    if (isChange(request)) writeFileSync(freezeFile(folder), '');
    return client.send(request);
  }),
  'does not validate changes': sending((client, request) =>
    isValidation(request) ? Promise.resolve(answerOf('{}')) : client.send(request),
  ),
  'lists critical alerts last': sending((client, request) => {
    if (!isMessage(request)) return client.send(request);
    const form = new URLSearchParams(request.body);
    const lines = form.get('Body')?.split('\n') ?? [];
    form.set('Body', [...lines.slice(0, -1).reverse(), ...lines.slice(-1)].join('\n'));
    return client.send({ ...request, body: form.toString() });
  }),
  'sends to a chat twice': sending(async (client, request) => {
    if (/posted\.example\/(slack|google_chat)/.test(request.url)) await client.send(request);
    return client.send(request);
  }),
  'repeats a mail in doubt without saying so': asking(
    'update "message" set "text" = ? where "id" = ?',
    `update "message" set "text" = replace(?, 'Sent again', 'Said') where "id" = ?`,
  ),
  'ends an incident by another key': sending((client, request) => {
    const isEnd = request.body?.includes('"event_action":"resolve"') ?? false;
    const body = request.body?.replace('"dedup_key":"', '"dedup_key":"other ') ?? '';
    return client.send(isEnd ? { ...request, body } : request);
  }),
  'sends each message twice': sending(async (client, request) => {
    if (isMessage(request)) await client.send(request);
    return client.send(request);
  }),
  'treats unsent messages as sent': sending((client, request) => {
    if (!isMessage(request)) return client.send(request);
    async function* nothing() {}
    const answer = { status: 201, headers: {}, body: nothing(), discard: () => undefined };
    return Promise.resolve(answer);
  }),
  'treats undelivered messages as delivered': sending(async (client, request) => {
    const answer = await client.send(request);
    if (request.method !== 'GET' || !request.url.startsWith('https://messages.example')) return answer;
    return {
      ...answerOf((await textOf(answer.body)).replaceAll('"undelivered"', '"delivered"')),
      status: answer.status,
    };
  }),
  'adds a click to a row': doing('UPDATE stats SET clicks = clicks + 1 WHERE _row = (SELECT min(_row) FROM stats)'),
  'forgets a column added to the query': doing('UPDATE stats SET impressions = NULL', 'impressions'),
  'loses a row': doing('DELETE FROM stats WHERE _row = (SELECT min(_row) FROM stats)'),
  'records another amount than sent': doing('UPDATE budget_intent SET to_micros = to_micros + 10000'),
  'drops pending alerts': doing("UPDATE outbox SET state = 'accepted' WHERE state = 'pending'"),
  'sends each change twice': sending(async (client, request) => {
    if (isChange(request)) await client.send(request);
    return client.send(request);
  }),
  'never reads the second account': sending((client, request) =>
    request.url.endsWith('listAccessibleCustomers') ? Promise.resolve(onlyFirst()) : client.send(request),
  ),
  'treats old amounts as current': sending(oldAmounts()),
  'never evaluates a rule': { inputs: (inputs) => ({ ...inputs, rules: [] }) },
  'forgets the step': withoutLimit('step'),
  'forgets the floor': withoutLimit('floor'),
  'gives up on every alert': doing("UPDATE outbox SET state = 'failed' WHERE state NOT IN ('pending', 'sending')"),
  'deletes all queued messages': doing('DELETE FROM outbox'),
  'loses an alert': doing("PRAGMA foreign_keys = OFF; DELETE FROM alert WHERE dedupe_key LIKE 'budget-intent%'"),
  'reports everything twice': doing(
    `INSERT INTO alert (dedupe_key, kind, state, severity, text, fired_at, occasions, created_at, updated_at)
      SELECT dedupe_key || ' again', kind, 'firing', severity, text, fired_at, 1, created_at, updated_at FROM alert
      WHERE kind = 'event' AND dedupe_key NOT LIKE '% again' AND dedupe_key || ' again' NOT IN (SELECT dedupe_key FROM alert)`,
  ),
  'publishes without rows': {
    afterStep(_store, folder) {
      const path = join(folder, 'warehouse.sqlite');
      if (!existsSync(path)) return;
      const file = new Database(path);
      if (file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'stats'").get()) file.exec('DELETE FROM stats');
      file.close();
    },
  },
  'believes a refusal of a change that it has sent': sending(asBeforeRefusals()),
  'treats an old reading as a change by somebody else': {
    settings: (settings) => ({ ...settings, automation: { ...settings.automation, readLagMinutes: 0 } }),
  },
  'accepts a success that names no budget': believing((answer, names) => {
    answer.results ??= named(names);
  }),
  'accepts any budget name': believing((answer, names) => {
    if (answer.results) answer.results = named(names);
  }),
  'overlooks the refused part of a change': believing((answer, names) => {
    if (answer.partialFailureError) answer.results = named(names);
    delete answer.partialFailureError;
  }),
  'forgets changes by others on the same day': asking(
    "account_day, 'foreign'",
    "date(account_day, '-1 day'), 'foreign'",
  ),
  'forgets the readings of budgets': doing('DELETE FROM budget_reading', 'amount_micros', 'budget_reading'),
  "asks for the service's changes of today alone": sending((client, request) => {
    const body = request.body?.replace(/(change_date_time BETWEEN ')[\d-]+( [^']*' AND ')([\d-]+)/, '$1$3$2$3');
    return client.send(body === undefined ? request : { ...request, body });
  }),
  "treats a person's undo as a change by a rule": asking('kind END AS by', "'rule' END AS by"),
  "forgets a person's NO": asking(
    '"state" = ? and "decided_at" >= ?',
    '"state" = ? and "decided_at" >= \'never \' || ?',
  ),
  'approves an expired request': {
    reword: (statement) =>
      statement
        .replace(
          /^(select .*)"expires_at"( from "budget_proposal" where "code" = \?)/,
          `$1'9999-01-01T00:00:00Z' AS expires_at$2`,
        )
        .replace(/^(update .* where "code" = \? and "state" = \? and )"expires_at" > \?/, "$1'9999' > ?"),
  },
  'treats an unreadable excluded manager as an account': sending(async (client, request) => {
    if (!request.url.includes(`/customers/${EXCLUDED_MANAGER}/`)) return client.send(request);
    const answer = await client.send(request).catch(() => undefined);
    if (answer?.status === 200) return answer;
    return answerOf(`[{"results":[{"customerClient":{"id":"${EXCLUDED_MANAGER}"}}]}]`);
  }),
  'excludes a manager but not the accounts below it': sending(async (client, request) => {
    const answer = await client.send(request);
    if (!request.url.includes(`/customers/${EXCLUDED_MANAGER}/`)) return answer;
    const text = (await textOf(answer.body)).replaceAll(EXCLUDED_ACCOUNT.id, '7000000003');
    return { ...answerOf(text), status: answer.status };
  }),
  'treats lost state as an unused folder': {
    reword: (statement) => statement.replaceAll('SELECT count(*) FROM run', 'SELECT count(*) FROM nothing'),
    afterStep: (_store, folder) => rmSync(join(folder, 'runs'), { recursive: true, force: true }),
  },
  'takes a restored dump for its own': {
    afterRestore(store, folder) {
      for (const name of ['runs', 'warehouse.sqlite']) rmSync(join(folder, name), { recursive: true, force: true });
      // What a database is known by; a file is known by the folder alone.
      if (store.columns('run_lock').includes('database_oid'))
        store.alter(
          'UPDATE run_lock SET database_oid = (SELECT oid FROM pg_database WHERE datname = current_database())',
        );
    },
  },
  'does not ask for the time': sending(async (client, request) => {
    const { headers, ...answer } = await client.send(request);
    const { date: _, ...others } = headers;
    return { ...answer, headers: others };
  }),
  'ignores quiet hours': {
    settings: (settings) => ({ ...settings, alerts: { ...settings.alerts, recipients: loud(settings) } }),
  },
};

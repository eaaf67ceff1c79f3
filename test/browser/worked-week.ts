import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { NOON, writeFolder } from '../support/world.ts';

export const ENV = { PACEKEEPER_NOW: NOON };
const YESTERDAY = '2026-11-19';
const DAY_BEFORE = '2026-11-18';

/** The account in which all happens. */
const EUR = '4081725530';
/** The accounts of the last two days, so that a day of the fourth one is missing. */
const ASKED = [EUR, '7350926148', '6193047821'];
const PACED = "('Regenjacken', 'Schlafsäcke', 'Isomatten')";

const RULES = {
  'raise.yaml': `description: Raise a budget that is used up.
from: campaign_spend
for: campaign
where: campaign_name = 'Generisch - Wanderschuhe'
over: 7 days
when: clicks >= 1
change: increase budget by 10%
limits: { cooldown: 7 days }
mode: apply
`,
  'month.yaml': `description: Keep three campaigns together on 1,800 EUR a month.
from: campaign_spend
for: account
where: campaign_name IN ${PACED}
currency: EUR
change: pace budget to 1800 per month
pace: { band: 97% to 103% }
limits: { floor: 5, ceiling: 150 }
mode: approve
`,
  'trim.yaml': `description: Trim a budget.
from: campaign_spend
for: campaign
where: campaign_name = 'Generisch - Zelte'
over: 7 days
when: clicks >= 1
change: decrease budget by 10%
mode: approve
`,
  'busy.yaml': `description: Tell of clicks.
from: campaign_spend
for: account
over: 7 days
when: clicks >= 1
alert: { severity: warning, text: "{clicks} clicks" }
`,
};

// One slice at a time, so that the fault hits one of them. It is not tried again.
const SETTINGS = `automation: { mode: apply }
extract: { concurrency: 1 }
ads: { retry: { attempts: 1, first_delay_ms: 0 } }
`;

/** Three days: budgets were frozen on the first one, a raise was made on the second, a read failed on the third. */
export async function makeWeek(folder: string): Promise<void> {
  mkdirSync(join(folder, 'queries'), { recursive: true });
  for (const name of ['campaign', 'campaign_spend', 'campaign_budget'])
    cpSync(`queries/${name}.sql`, join(folder, 'queries', `${name}.sql`));
  writeFolder(folder, 'rules', RULES);
  writeFileSync(join(folder, 'pacekeeper.yaml'), SETTINGS);
  const run = async (at: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const { code, stderr } = await runCli(args, { cwd: folder, env: { PACEKEEPER_NOW: at, ...more } });
    return { code, stderr };
  };
  const done = async (at: string, ...args: readonly string[]) => {
    const { code, stderr } = await run(at, args);
    expect(code, stderr).toBe(0);
  };
  await done(`${DAY_BEFORE}T12:00:00Z`, 'freeze', '--by=rosa', '--why=prices are wrong in the shop');
  await done(`${DAY_BEFORE}T12:10:00Z`, 'report');
  await done(`${DAY_BEFORE}T15:00:00Z`, 'unfreeze', '--by=rosa', '--why=prices are right again');
  const asked = ['report', '--customer', ...ASKED];
  await done(`${YESTERDAY}T12:00:00Z`, ...asked);
  const failed = await run(NOON, asked, { PACEKEEPER_FAULT: '500,at=stream,nth=10' });
  expect(failed.code, failed.stderr).toBe(1);
}

/** The rows of a query on the records or on the published file. */
export function rowsIn<Row>(folder: string, part: 'state' | 'warehouse', sql: string): Row[] {
  const file = new Database(join(folder, 'data', `${part}.sqlite`), { readonly: true });
  file.defaultSafeIntegers(true);
  try {
    return file.prepare<[], Row>(sql).all();
  } finally {
    file.close();
  }
}

export interface Line {
  readonly code: string;
  readonly name: string;
  readonly from: bigint;
  readonly to: bigint;
}

interface Sums {
  readonly days: bigint;
  readonly cost: bigint;
}

/** The facts that the pages must show, from the records and the published rows. */
export function factsOf(folder: string) {
  const state = <Row>(sql: string) => rowsIn<Row>(folder, 'state', sql);
  const rows = <Row>(sql: string) => rowsIn<Row>(folder, 'warehouse', sql);
  const one = <Row>([first]: readonly Row[]): Row => {
    if (first === undefined) throw new Error('The week lacks a fact that a task needs.');
    return first;
  };
  const names = new Map(
    rows<{ id: bigint; name: string }>('SELECT customer_id AS id, name FROM account').map(({ id, name }) => [
      String(id),
      name,
    ]),
  );
  const nameOf = (id: string) => names.get(id) ?? id;
  const spent = (from: string, to: string) =>
    one(
      rows<Sums>(`SELECT count(DISTINCT date) AS days, sum(cost_micros) AS cost FROM campaign_spend
        JOIN account_day USING (customer_id, date) WHERE query = 'campaign_spend' AND state = 'settled'
        AND customer_id = '${EUR}' AND date BETWEEN '${from}' AND '${to}'`),
    );
  const linesOf = (rule: string) =>
    state<Line>(`SELECT code, campaign_name AS name, from_micros AS "from", to_micros AS "to" FROM budget_proposal
      WHERE state = 'open' AND rule = '${rule}' ORDER BY campaign_name`);
  const movedMost = `SELECT campaign_name AS name FROM campaign_spend WHERE customer_id = '${EUR}'
    AND date BETWEEN date('${YESTERDAY}', '-13 days') AND '${YESTERDAY}' GROUP BY campaign_name
    ORDER BY abs(sum(CASE WHEN date > date('${YESTERDAY}', '-7 days') THEN cost_micros ELSE -cost_micros END)) DESC`;
  const mostUsed = `SELECT campaign_name AS name FROM campaign_spend JOIN campaign_budget
    ON campaign_budget_name = campaign_name AND campaign_budget.customer_id = campaign_spend.customer_id
    WHERE date BETWEEN date('${YESTERDAY}', '-27 days') AND '${YESTERDAY}' GROUP BY campaign_spend.customer_id, campaign_name
    ORDER BY 1.0 * sum(cost_micros) / campaign_budget_amount_micros DESC`;
  return {
    customer: EUR,
    account: nameOf(EUR),
    otherAccount: nameOf(ASKED[1] ?? ''),
    days: { from: '2026-11-01', to: '2026-11-15' },
    october: spent('2026-10-01', '2026-10-31'),
    week: spent('2026-11-13', YESTERDAY),
    weekBefore: spent('2026-11-06', '2026-11-12'),
    novemberRows: one(
      rows<{ count: bigint; cost: bigint }>(
        `SELECT count(*) AS count, sum(cost_micros) AS cost FROM campaign_spend
         WHERE customer_id = '${EUR}' AND date BETWEEN '2026-11-01' AND '2026-11-15'`,
      ),
    ),
    mover: one(rows<{ name: string }>(movedMost)).name,
    mostUsed: one(rows<{ name: string }>(mostUsed)).name,
    missing: one(
      rows<{ date: string; account: string }>(
        "SELECT date, name AS account FROM account_day JOIN account USING (customer_id) WHERE state = 'missing'",
      ),
    ),
    failure: one(state<{ id: bigint; error: string }>("SELECT id, error FROM run WHERE state = 'failed'")),
    raise: one(
      rows<{ id: bigint; name: string; from: bigint; to: bigint; reason: string; rule: string }>(
        `SELECT id, campaign_name AS name, from_micros AS "from", to_micros AS "to", reason, rule FROM budget_change
         WHERE account_day = '${YESTERDAY}'`,
      ),
    ),
    plan: linesOf('month'),
    trim: one(linesOf('trim')),
    expires: one(
      state<{ day: string }>("SELECT date(max(expires_at)) AS day FROM budget_proposal WHERE state = 'open'"),
    ).day,
    target: one(
      rows<{ target: bigint; projected: bigint }>(
        'SELECT target_micros AS target, projected_micros AS projected FROM target',
      ),
    ),
    alerts: state<{ id: bigint }>("SELECT id FROM alert WHERE state = 'firing' ORDER BY id"),
    freezes: state<{ kind: string; actor: string; why: string; minute: string }>(
      `SELECT kind, actor, json_extract(detail, '$.why') AS why, substr(created_at, 1, 16) AS minute FROM budget_event
       WHERE kind IN ('frozen', 'unfrozen') ORDER BY id DESC`,
    ),
  };
}

export type WeekFacts = ReturnType<typeof factsOf>;

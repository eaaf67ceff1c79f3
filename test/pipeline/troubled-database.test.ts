import { expect, it } from 'vitest';
import { customerId } from '../../src/domain/ids.ts';
import { byEffort } from '../support/effort.ts';
import { describePostgres, freshDatabase, onDatabase } from '../support/postgres-server.ts';
import { TRIM_QUERIES, TRIM_RULES, TRIMMED } from '../support/trim-rule.ts';
import { APPLY, createWorld } from '../support/world.ts';

const ONE = { customers: [customerId(TRIMMED.customerId)] };
const CONFIG = APPLY.replace('attempts: 2', 'attempts: 3');

/** Rows with keys, so that loaded chunks are remembered. */
const QUERIES = {
  'stats.sql': TRIM_QUERIES['stats.sql'].replace('SELECT', 'SELECT ad_group.id, ad_group_criterion.criterion_id,'),
};

/** What the server does to a transaction, in SQL. */
const TROUBLE = {
  'ends the connection': 'PERFORM pg_terminate_backend(pg_backend_pid());',
  'finds a deadlock': "RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01';",
  'cannot serialize': "RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001';",
} as const;

/** From now on, the first statements that write to the table are in trouble. A sequence counts, which nothing undoes. */
async function trouble(url: string, table: string, what: keyof typeof TROUBLE, times: number): Promise<void> {
  await onDatabase(
    url,
    'CREATE SEQUENCE public.times',
    `CREATE FUNCTION public.trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('public.times') <= ${times} THEN ${TROUBLE[what]} END IF; RETURN NULL; END $$`,
    `CREATE TRIGGER trouble BEFORE INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION public.trouble()`,
  );
}

async function troubledWorld() {
  const url = await freshDatabase();
  const env = { PACEKEEPER_STORE_URL: url };
  const world = await createWorld({ config: CONFIG, queries: QUERIES, rules: TRIM_RULES, env });
  const changes = () =>
    world.sandbox.requests.filter(({ kind, validateOnly }) => kind === 'mutate' && !validateOnly).length;
  const count = async (from: string) => Number((await onDatabase(url, `SELECT count(*) FROM ${from}`))[0]?.[0]);
  return { url, world, changes, count };
}

const LOADS = byEffort({
  quick: ['ends the connection'] as const,
  thorough: ['ends the connection', 'finds a deadlock', 'cannot serialize'] as const,
});

describePostgres('a server that disturbs transactions', () => {
  it.each(LOADS)('and %s while rows are loaded: they are read again, and stored once', async (what) => {
    const { url, world, changes, count } = await troubledWorld();
    // Creates the tables.
    await world.report({ ...ONE, noExtract: true });
    await trouble(url, 'pacekeeper.loaded_piece', what, 2);
    const { failures } = await world.report(ONE);
    expect(failures).toEqual([]);
    expect(world.log.filter((line) => /Trying again in/.test(line))).toHaveLength(2);
    const rows = await count('warehouse.stats');
    expect(rows).toBeGreaterThan(0);
    expect(
      await count('(SELECT DISTINCT date, ad_group_id, ad_group_criterion_criterion_id FROM warehouse.stats) AS _'),
    ).toBe(rows);
    expect(changes()).toBe(1);
    expect(await count("pacekeeper.budget_event WHERE kind = 'applied'")).toBe(1);
  });

  it('at every load is given up in a sentence, and the old rows remain', async () => {
    const { url, world, count } = await troubledWorld();
    await world.report(ONE);
    const rows = await count('warehouse.stats');
    await trouble(url, 'pacekeeper.loaded_piece', 'finds a deadlock', 1_000_000);
    world.clock.set('2026-11-21T12:00:00Z');
    const { failures } = await world.report(ONE);
    expect(failures.join('\n')).toMatch(/undid a change, because it and another program waited for each other/);
    expect(await count('warehouse.stats')).toBe(rows);
    expect(await onDatabase(url, 'SELECT last_value FROM public.times')).toEqual([['3']]);
  });

  it.each([
    ['finds a deadlock', 2],
    ['ends the connection', 1],
  ] as const)('and %s while a change of a budget is recorded: it is made once', async (what, times) => {
    const { url, world, changes, count } = await troubledWorld();
    await world.extract(ONE);
    await trouble(url, 'pacekeeper.budget_event', what, times);
    const run = () => world.report({ ...ONE, noExtract: true });
    if (what === 'ends the connection')
      await expect(run()).rejects.toThrow('cannot be reached: the server was stopped.');
    expect((await run()).failures).toEqual([]);
    expect(changes()).toBe(1);
    expect(await count("pacekeeper.budget_event WHERE kind = 'applied'")).toBe(1);
    expect(await count("pacekeeper.budget_intent WHERE state = 'applied'")).toBe(1);
  });
});

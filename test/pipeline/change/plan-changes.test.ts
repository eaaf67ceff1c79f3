import { expect, it } from 'vitest';
import { UNDONE } from '../../../src/storage/records/is-busy.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../../support/trim-rule.ts';
import { createWorld } from '../../support/world.ts';

it('a decision is reported once, even if the database undoes its transaction and it is recorded again', async () => {
  const world = await createWorld({
    config: 'automation: { mode: propose }\n',
    queries: TRIM_QUERIES,
    rules: TRIM_RULES,
  });
  let isUndone = false;
  world.passes = (point) => {
    if (point !== 'plan:before-commit' || isUndone) return;
    isUndone = true;
    throw Object.assign(new Error('The database undid a change.'), { code: UNDONE });
  };
  const { decisions, failures } = await world.report();
  expect([isUndone, failures]).toEqual([true, []]);
  expect(decisions.map(({ rule, kind }) => [rule, kind])).toEqual([['trim', 'would_change']]);
  expect(world.rows('state', 'SELECT kind FROM decision')).toEqual([{ kind: 'would_change' }]);
});

import { InvalidArgumentError } from 'commander';
import { checkContext } from '../../../src/commands/cli/choose-inputs.ts';
import { parameterOption } from '../../../src/commands/cli/common-options.ts';
import { InputError } from '../../../src/domain/errors.ts';
import { queryForDay } from '../../../src/language/gaql/check/query-for-range.ts';
import { checkQueryFile } from '../../../src/language/gaql/query-file.ts';
import { parseQuery } from '../../../src/language/gaql/syntax/parse-query.ts';
import { fakeClock } from '../../support/fake-time.ts';
import { claimFindings } from '../claim-findings.ts';
import { claim, claimSame, type Target } from '../target.ts';

const CONDITIONS = [
  ...'campaign.name = :x; campaign.id = :x; campaign.name IN (:x, :x); campaign.status IN (:x)'.split('; '),
  ...'metrics.ctr > :x; campaign.name LIKE :x; campaign.name REGEXP_MATCH :x'.split('; '),
];

const REAL = { option: parameterOption, contextOf: checkContext, check: checkQueryFile };

/** `--param`: a value stays one value, whatever stands in it, and no word of the query changes. */
export function parameterTarget(program: typeof REAL = REAL): Target {
  const clock = fakeClock('2026-11-22T12:00:00Z');
  return {
    name: 'parameter',
    tokens: [
      ..."x= :x= today= __proto__= ' \" \\ \\' ; ) ENABLED 1234567890 2026-11-01 % [ :today".split(' '),
      "' OR campaign.id = 1 --",
      '\n',
      'LIMIT 1',
    ],
    seeds: () =>
      "x=1234567890, x=brand shoes, x=it's, :x=ENABLED, x=2026-11-01, x=0.5, today=2026-11-01, x=".split(', '),
    judge(input) {
      const text = input.toString('utf8');
      try {
        const given = program.option(text, undefined);
        const [first] = given;
        claim(
          first !== undefined && text.endsWith(`${first.name}=${first.value}`),
          () => 'The option is read otherwise',
        );
        const context = program.contextOf(SETTINGS, given, clock, () => undefined);
        for (const condition of CONDITIONS) {
          const source = `SELECT campaign.id, metrics.clicks, segments.date FROM campaign WHERE ${condition} AND segments.date DURING LAST_7_DAYS`;
          const { query, diagnostics } = program.check('a_query', source, context);
          claimFindings(source, diagnostics);
          if (query)
            claimSame(shapeOf(queryForDay(query, '2026-11-22' as never)), shapeOf(source), 'A value changed the query');
        }
      } catch (error) {
        if (!(error instanceof InvalidArgumentError || error instanceof InputError)) throw error;
      }
    },
  };
}

const SETTINGS = {
  target: 'sandbox',
  ads: { version: 'v25', catalogue: 'v25' },
  check: { unknownFields: 'error' },
  paths: { data: 'no-data' },
  params: new Map(),
} as const;

/** The query without its values. */
function shapeOf(source: string): unknown {
  const { tree, diagnostics } = parseQuery(source);
  claimSame(diagnostics, [], 'A query with a value in it is none');
  return {
    select: tree.select.map(({ name }) => name),
    from: tree.from?.name,
    where: tree.where.map((condition) => [condition.operator, condition.field.name, condition.values.length]),
    rest: [tree.orderBy.length, tree.limit?.rows, tree.parameters.length],
  };
}

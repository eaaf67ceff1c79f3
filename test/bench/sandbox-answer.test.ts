import { expect, it } from 'vitest';
import { sandboxAnswer } from '../../bench/extraction/sandbox-answer.ts';
import { benchQuery, noonMs, WINDOW } from '../../bench/query.ts';

it('has as many rows as the benchmark expects, on each day', () => {
  const { batches, totals } = sandboxAnswer(
    { rows: 3_000, days: WINDOW.days },
    benchQuery().text,
    noonMs(WINDOW.today),
  );
  const rows = [...batches].flatMap(
    (batch) => (JSON.parse(batch) as { results: { segments: { date: string } }[] }).results,
  );
  expect(totals().rows).toBe('3000');
  expect(rows).toHaveLength(3_000);
  expect(Map.groupBy(rows, ({ segments }) => segments.date).size).toBe(WINDOW.days);
});

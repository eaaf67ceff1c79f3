import { describe, expect, it } from 'vitest';
import { scheduleProblems } from '../../src/config/check-schedule.ts';
import { settingsFrom } from '../../src/config/read-settings.ts';
import { keyOf } from '../../src/config/setting-tree.ts';
import { InputError } from '../../src/domain/errors.ts';

const problemsOf = (...jobs: readonly object[]) =>
  scheduleProblems(jobs.map((job, index) => ({ name: `job-${index}`, ...job }))).map(
    ({ at, says }) => `${keyOf(at)} ${says}`,
  );

describe('a schedule', () => {
  it.each([
    ['every morning', '30 5 * * *'],
    ['on weekdays by name', '30 5 * * mon-fri'],
    ['on Sunday by either number', '0 5 * * 0,7'],
    ['in July on Wednesdays', '0 5 * jul wed'],
    ['in steps, also of a range', '*/5 8-18/2 1,15 jan *'],
    ['with wide spaces', ' 30   5 * * * '],
    ['on the 29th of February', '0 5 29 2 *'],
  ])('may be %s', (_, cron) => {
    expect(problemsOf({ cron, job: 'report' })).toEqual([]);
  });

  it.each([
    ['four fields', '30 5 * *', 'has 4 fields, expected five: minute, hour, day of the month, month, day of the week'],
    ['seconds', '0 30 5 * * *', 'has 6 fields, expected five: minute, hour, day of the month, month, day of the week'],
    ['a nickname', '@daily', 'has one field, expected five: minute, hour, day of the month, month, day of the week'],
    ['a minute too many', '60 5 * * *', 'has "60" as minute, expected 0 to 59'],
    ['an hour that is a word', '0 noon * * *', 'has "noon" as hour, expected 0 to 23'],
    ['no such month', '0 5 * foo *', 'has "foo" as month, expected 1 to 12 or jan to dec'],
    ['the last day', '0 5 L * *', 'has "L" as day of the month, expected a form such as "*", "1,15"'],
    ['a nearest weekday', '0 5 15W * *', 'has "15W" as day of the month, expected a form such as'],
    ['a last Friday', '0 5 * * friL', 'has "friL" as day of the week, expected a form such as'],
    [
      'a secret',
      `0 5 ${'z9Q7'.repeat(20)}* * *`,
      'has a text of 81 characters as day of the month, expected a form such as',
    ],
    ['a second Monday', '0 5 * * 1#2', 'has "1#2" as day of the week, expected a form such as'],
    ['a range backwards', '0 22-2 * * *', "is invalid: From value is larger than to value: '22-2'"],
    ['a day that no year has', '0 0 30 2 *', 'never occurs: its months do not have this day'],
    ['a 31st of short months', '0 0 31 4,6 *', 'never occurs: its months do not have this day'],
  ])('is refused with %s', (_, cron, words) => {
    const [problem, ...more] = problemsOf({ cron: '0 5 * * *', job: 'report' }, { cron, job: 'report' });
    expect(problem).toContain(`schedule[1].cron ${words}`);
    expect(more).toEqual([]);
  });

  it.each([
    [
      'two jobs of one name',
      [{ name: 'a' }, { name: 'a' }],
      'schedule[1].name is "a", but schedule[0] already has this name.',
    ],
    [
      'an option of another job',
      [{ job: 'extract', options: { dry_run: 'true' } }],
      'schedule[0].options.dry_run is not an option of extract: expected query, customer, resume.',
    ],
    [
      'an option of a job without any',
      [{ job: 'deliver', options: { query: 'keyword_stats' } }],
      'schedule[0].options.query is not an option of deliver: expected no options.',
    ],
    [
      'a format without a folder',
      [{ job: 'publish', options: { to: 'csv' } }],
      'schedule[0].options sets only one of to and dir. Set both (a format and a folder), or remove both.',
    ],
  ])('is refused with %s', (_, jobs, words) => {
    const problems = problemsOf(...jobs.map((job) => ({ cron: '0 5 * * *', job: 'report', ...job })));
    expect(problems).toEqual([expect.stringContaining(words)]);
  });

  it('reports all of its mistakes at once', () => {
    expect(problemsOf({ cron: '99 5 * * *', job: 'deliver', options: { to: 'csv', resume: 'true' } })).toHaveLength(3);
  });
});

it('a mistake in the schedule is reported with position and nearest word, beside the others of the file', () => {
  const lines = [
    'automation: { mode: propos }',
    'schedule:',
    '  - { name: a, cron: "61 5 * * *", time_zone: Europe/Berln, job: report }',
    '  - { name: a, cron: "0 0 30 2 *", job: report }',
  ];
  let found: unknown;
  try {
    settingsFrom('/nowhere', {}, {}, lines.join('\n'), { schedule: scheduleProblems });
  } catch (error) {
    found = error;
  }
  if (!(found instanceof InputError)) throw new Error('The settings were taken.');
  const [{ diagnostics } = { diagnostics: [] }] = found.findings;
  const told = diagnostics.map(({ span, message, hint }) => [span.start.line, span.start.column, message, hint]);
  expect(told).toEqual([
    [1, 21, expect.stringContaining('"propos"'), 'Did you mean propose?'],
    [3, 22, 'schedule[0].cron has "61" as minute, expected 0 to 59.', undefined],
    [3, 47, expect.stringContaining('"Europe/Berln"'), 'Did you mean Europe/Berlin?'],
    [4, 13, 'schedule[1].name is "a", but schedule[0] already has this name. Choose another name.', undefined],
    [4, 22, 'schedule[1].cron never occurs: its months do not have this day.', undefined],
  ]);
});

import { modeWords } from '../domain/frozen.ts';
import type { PastRun } from '../store/run-history.ts';
import { frozenBlock } from './sections.ts';
import { RUN_WORDS, TICK_WORDS } from './state-words.ts';
import type { QueryCoverage, ScheduleStanding, StatusResult, WorkStanding } from './status-result.ts';
import { count, firstOf, oneLine, type TextLayout } from './text-layout.ts';
import { textTable } from './text-table.ts';
import { toJson } from './to-json.ts';
import { wrapText } from './wrap-text.ts';

const INDENT = '  ';
const CODES_MAX = 6;

/** One screen: each part under a heading, nothing wider than the layout. */
export function renderStatus(found: StatusResult, layout: TextLayout): string {
  const { width, bold } = layout;
  const line = (text: string) => wrapText(oneLine(text), width, INDENT, '    ');
  const table = (rows: readonly (readonly string[])[]) => indented(rowsTable(rows, width));
  const { work, schedule } = found;
  const parts: [heading: string, lines: readonly string[]][] = [
    [
      'Target',
      [line(`${found.target}, mode ${modeWords(found.mode, found.frozen)}`), line(`data in ${found.dataFolder}`)],
    ],
    [
      'Runs',
      work === undefined ? [line('none yet: pacekeeper report makes the first one')] : runLines(work, table, line),
    ],
    ...(work === undefined ? [] : workParts(found, work, table, line)),
    ['Schedule', scheduleLines(schedule, table, line)],
  ];
  const first = frozenBlock(found.frozen, layout);
  return `${first === '' ? '' : `${first}\n`}${parts.map(([heading, lines]) => [bold(heading), ...lines].join('\n')).join('\n')}\n`;
}

type Lines = (text: string) => string;
type Rows = (rows: readonly (readonly string[])[]) => string;

function runLines({ runs }: WorkStanding, table: Rows, line: Lines): string[] {
  if (runs.length === 0) return [line('none yet: pacekeeper report makes the first one')];
  const command = ({ command, dryRun }: PastRun) => `${command}${dryRun ? ' --dry-run' : ''}`;
  const rows = runs.map((run) => [minuteOf(run.startedAt), command(run), RUN_WORDS[run.state][0], outcomeOf(run)]);
  return [table(rows)];
}

function outcomeOf({ state, accounts, rowsRead, budgetChanges, messagesSent, error }: PastRun): string {
  if (state === 'running') return '';
  if (state !== 'done' && error !== undefined) return oneLine(error.split('\n')[0] ?? '');
  const sums = [
    ...[count(Number(rowsRead), 'row'), count(Number(accounts), 'account')],
    ...(budgetChanges === 0n ? [] : [count(Number(budgetChanges), 'change')]),
    ...(messagesSent === 0n ? [] : [count(Number(messagesSent), 'message')]),
  ];
  return sums.join(', ');
}

function workParts(
  { frozen }: Pick<StatusResult, 'frozen'>,
  work: WorkStanding,
  table: Rows,
  line: Lines,
): [string, readonly string[]][] {
  const { openChanges, proposals, alerts } = work;
  const codes = proposals.length === 0 ? '' : ` (${firstOf(proposals, CODES_MAX)})`;
  return [
    [
      'Coverage',
      work.coverage.length === 0
        ? [line('no day was read yet')]
        : [table(work.coverage.map((one) => [oneLine(one.query), ...coverageCells(one)]))],
    ],
    ...orphanParts(work, line),
    [
      'Budgets',
      [
        line(`${count(openChanges, 'change')} under way, ${proposals.length} awaiting approval${codes}`),
        line(frozen === undefined ? 'not frozen' : frozen.why),
      ],
    ],
    [
      'Alerts',
      [
        line(
          [
            alerts.waiting === 0 ? 'none waits' : `${count(alerts.waiting, 'alert waits', 'alerts wait')}`,
            ...(alerts.mayBeOut === 0 ? [] : [`${alerts.mayBeOut} may or may not have arrived`]),
          ].join(', '),
        ),
      ],
    ],
  ];
}

function orphanParts({ orphanedTables }: WorkStanding, line: Lines): [string, readonly string[]][] {
  const lines = orphanedTables.map((name) =>
    line(`${name} has no query file: pacekeeper warehouse rebuild ${name} drops it`),
  );
  return lines.length === 0 ? [] : [['Tables', lines]];
}

function coverageCells({ accounts, neverRead, completeUntil, missing, provisional, failed }: QueryCoverage): string[] {
  const holes = [
    ...(failed === 0 ? [] : [`${failed.toLocaleString('en-US')} failed at the last read`]),
    missing === 0 ? 'no day missing' : `${count(missing, 'day')} missing`,
    ...(provisional === 0 ? [] : [`${provisional.toLocaleString('en-US')} provisional`]),
    ...(neverRead === 0 ? [] : [`${neverRead.toLocaleString('en-US')} never read`]),
  ];
  return [
    completeUntil === undefined ? 'not complete yet' : `complete until ${completeUntil}`,
    `${holes.join(', ')}, ${count(accounts, 'account')}`,
  ];
}

function scheduleLines({ holder, jobs }: ScheduleStanding, table: Rows, line: Lines): string[] {
  if (jobs.length === 0) return [line('no job: schedule in pacekeeper.yaml names them')];
  const rows = jobs.map(({ name, job, next, last }) => [
    oneLine(name),
    job,
    next === undefined ? 'never due again' : `next ${minuteOf(next)}`,
    last === undefined ? '' : `last ${TICK_WORDS[last.state][0]} ${minuteOf(last.dueAt)}`,
  ]);
  return [table(rows), line(holderText(holder))];
}

function holderText(holder: ScheduleStanding['holder']): string {
  if (holder === undefined) return 'nobody keeps it: pacekeeper schedule does';
  const who = `process ${holder.pid} on ${holder.host}`;
  if (holder.state === 'keeping') return `kept by ${who} since ${minuteOf(holder.since)}`;
  const what = holder.state === 'gone' ? 'is gone' : 'has not shown itself in time';
  return `${who}, which kept it, ${what}: start pacekeeper schedule again`;
}

/** `2026-03-01 05:30 UTC`. */
function minuteOf(instant: string): string {
  return `${instant.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Columns without a head; the last one may be cut. */
function rowsTable(rows: readonly (readonly string[])[], width: number): string {
  const last = (rows[0]?.length ?? 1) - 1;
  const columns = (rows[0] ?? []).map((_, index) => ({ title: '', align: 'left', flexible: index === last }) as const);
  return textTable(columns, rows, width - INDENT.length).replace(/^\n+/, '');
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, INDENT);
}

/** The same as JSON. */
export function renderStatusJson({ target, mode, dataFolder, schedule, frozen, work }: StatusResult): string {
  return toJson({
    ...{ target, mode, data_folder: dataFolder },
    runs: runRows(work),
    coverage:
      work?.coverage.map((one) => ({
        ...{ query: one.query, settled_until: one.completeUntil, accounts: one.accounts },
        ...{ never_read: one.neverRead, missing: one.missing, provisional: one.provisional },
      })) ?? [],
    orphaned_tables: work?.orphanedTables ?? [],
    budgets: { changes_under_way: work?.openChanges ?? 0, proposals: work?.proposals ?? [], frozen: frozen?.why },
    alerts: { waiting: work?.alerts.waiting ?? 0, may_be_out: work?.alerts.mayBeOut ?? 0 },
    schedule: {
      holder: schedule.holder,
      jobs: schedule.jobs.map(({ name, job, next, last }) => ({
        ...{ name, job, next },
        last: last && { state: last.state, due_at: last.dueAt, reason: last.reason },
      })),
    },
  });
}

/** The last runs, newest first. */
export function runRows(work: StatusResult['work']): object[] {
  const runs = work?.runs ?? [];
  return runs.map((run) => ({
    ...{ id: run.id, command: run.command, dry_run: run.dryRun, state: run.state },
    ...{ started_at: run.startedAt, ended_at: run.endedAt, accounts: run.accounts, rows_read: run.rowsRead },
    ...{ budget_changes: run.budgetChanges, messages_sent: run.messagesSent, error: run.error },
  }));
}

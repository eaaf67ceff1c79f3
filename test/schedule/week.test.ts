import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CommonOptions } from '../../src/commands/cli/common-options.ts';
import type { SandboxRequest } from '../../src/sandbox/read-request.ts';
import { isLong } from '../support/effort.ts';
import { onFiles } from '../support/folder-store.ts';
import { createProduct, type Product } from '../support/product.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TRIM_QUERIES, TRIM_RULES } from '../support/trim-rule.ts';
import { writeFolder } from '../support/world.ts';
import { scheduleInProcess, writeConfig } from './schedule-in-process.ts';

/** The schedule of docs/go-live.md. */
const CONFIG = `schedule:
  - { name: morning-report, cron: "30 5 * * *", time_zone: Europe/Berlin, job: report }
  - { name: deliver, cron: "*/15 * * * *", time_zone: Europe/Berlin, job: deliver }
`;

/** One changes a budget every morning. The other fires on all days but Friday. */
const RULES = {
  'trim.yaml': TRIM_RULES['trim.yaml'].replace('by 15%', 'by 5%').replace('step: 20%', 'step: 20%, cooldown: 1 day'),
  'dear.yaml': `description: Alert when clicks are expensive.
from: stats
for: campaign
over: yesterday
when: clicks > 0 AND cost / clicks > 3.30
alert: { severity: critical, text: "{campaign_name}: {clicks} clicks cost {cost}" }
`,
};

const QUARTER_MS = 900_000;
/** Monday, 00:00 in Berlin. */
const START_MS = Date.parse('2026-11-15T23:00:00Z');
const WEEK_MS = 7 * 96 * QUARTER_MS;

interface Outage {
  readonly from: string;
  readonly until: string;
  /** The machine if absent. */
  readonly of?: (request: SandboxRequest) => boolean;
}

const isMessage = ({ kind }: SandboxRequest) => kind.startsWith('message');

/** Each begins before 05:30 in Berlin: the advertising service twice, the messaging service and the machine once. */
const OUTAGES: readonly Outage[] = [
  { from: '2026-11-17T04:20Z', until: '2026-11-17T04:40Z', of: (request) => !isMessage(request) },
  { from: '2026-11-18T04:20Z', until: '2026-11-18T05:00Z', of: (request) => !isMessage(request) },
  { from: '2026-11-20T04:20Z', until: '2026-11-20T05:20Z', of: isMessage },
  { from: '2026-11-21T04:20Z', until: '2026-11-21T06:40Z' },
];

/** For speed, only a new folder has every quarter of an hour. Other places have the mornings in Berlin, with the outages. */
const isPlayed = (now: Date, place: Place) =>
  isLong || place.isWhole || (now.getUTCHours() >= 4 && now.getUTCHours() < 9);

/** Each quarter of an hour, a new process starts what is due. */
async function playWeek(outages: readonly Outage[], placeOf: (product: Product) => Place): Promise<Product> {
  const product = await createProduct({ config: CONFIG, queries: TRIM_QUERIES, rules: RULES });
  const place = placeOf(product);
  const { folder, paths } = place;
  for (let ms = START_MS; ms < START_MS + WEEK_MS; ms += QUARTER_MS) {
    const outage = outages.find(({ from, until }) => Date.parse(from) <= ms && ms < Date.parse(until));
    if ((outage && !outage.of) || !isPlayed(new Date(ms), place)) continue;
    const now = new Date(ms).toISOString();
    product.at(now);
    product.fault = (request) => (outage?.of?.(request) ? { kind: 'status', status: 503 } : undefined);
    const run = scheduleInProcess(folder, now, { once: true, isReal: true, env: product.env(), paths });
    await run.ended;
  }
  return product;
}

interface Place {
  readonly folder: string;
  readonly paths: CommonOptions;
  /** True for a whole week, not only its mornings. */
  readonly isWhole?: true;
}

const newFolder = ({ folder }: Product): Place => ({ folder, paths: {}, isWhole: true });
const database = ({ folder }: Product): Place => ({ folder, paths: {} });

/** As in docs/deploy: the folder in use has files of its own, and the paths lead to mounted folders. */
function container({ folder }: Product): Place {
  const app = tempDir();
  writeConfig(app, 'automation: { mode: propose }\n');
  writeFolder(app, 'queries', { 'campaign.sql': 'SELECT campaign.id FROM campaign' });
  writeFolder(app, 'rules', { 'broken.yaml': 'from: nothing' });
  writeFolder(app, 'models', { 'broken.sql': 'SELECT * FROM nothing' });
  return { folder: app, paths: { config: join(folder, 'pacekeeper.yaml'), dataDir: join(folder, 'data') } };
}

const RECORD = /^(?:Record|Ref) .*\n?/gm;

interface PastChange {
  readonly account_day: string;
  readonly from_micros: number;
  readonly to_micros: number;
}

/** What people see after the week, without what differs from one data folder to the next. */
async function seen({ rows, sandbox, json }: Product) {
  const history: { readonly changes: readonly PastChange[] } = (await json(['budgets', 'history'])).value;
  return {
    messages: sandbox.messages().map(({ receivedAt, status, body }) => ({
      day: receivedAt.slice(0, 10),
      status,
      body: body.replace(RECORD, ''),
    })),
    changes: history.changes.map((one) => [one.account_day, one.from_micros, one.to_micros]),
    days: rows(
      'SELECT date, sum(clicks) AS clicks, sum(cost_micros) AS cost FROM stats GROUP BY date ORDER BY date',
      'warehouse',
    ),
  };
}

const PLACES: readonly [name: string, placeOf: (product: Product) => Place][] = onFiles
  ? [
      ['a new folder', newFolder],
      ['a container', container],
    ]
  : [['a database', database]];

let calmWeek: ReturnType<typeof seen> | undefined;

it.each(PLACES)(
  'a week in %s, with outages at 05:30, ends with the numbers, budget changes and alerts of a calm week',
  async (_, place) => {
    calmWeek ??= playWeek([], onFiles ? newFolder : database).then(seen);
    const calm = await calmWeek;
    const troubled = await playWeek(OUTAGES, place);
    expect(await seen(troubled)).toEqual(calm);

    expect(calm.changes).toEqual([
      ['2026-11-22', 44_120_000, 41_920_000],
      ['2026-11-21', 46_440_000, 44_120_000],
      ['2026-11-20', 48_880_000, 46_440_000],
      ['2026-11-19', 51_450_000, 48_880_000],
      ['2026-11-18', 54_150_000, 51_450_000],
      ['2026-11-17', 57_000_000, 54_150_000],
      ['2026-11-16', 60_000_000, 57_000_000],
    ]);
    expect(calm.days).toHaveLength(13);
    // A report's alerts at 05:30, and the digest.
    expect(calm.messages).toHaveLength(14);
    expect(calm.messages.filter(({ body }) => body.startsWith('Still true since'))).toHaveLength(4);
    expect(troubled.sends()).toHaveLength(7);
    expect(troubled.rows('SELECT substr(started_at, 1, 16) AS at, state FROM run ORDER BY id')).toEqual([
      { at: '2026-11-16T04:30', state: 'done' },
      { at: '2026-11-17T04:30', state: 'failed' },
      { at: '2026-11-17T04:45', state: 'done' },
      { at: '2026-11-18T04:30', state: 'failed' },
      { at: '2026-11-18T04:45', state: 'failed' },
      { at: '2026-11-18T05:15', state: 'done' },
      { at: '2026-11-19T04:30', state: 'done' },
      // The report was done, but its alerts were delivered later.
      { at: '2026-11-20T04:30', state: 'failed' },
      { at: '2026-11-21T06:45', state: 'done' },
      { at: '2026-11-22T04:30', state: 'done' },
    ]);
    expect((await troubled.run(['status'])).code).toBe(0);
  },
  1_200_000,
);

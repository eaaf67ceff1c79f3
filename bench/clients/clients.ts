import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { QUARTER_DAYS } from '../../test/simulate/client-quarter.ts';
import { describeRuns, type PartReport, renderTable, whole } from '../figures.ts';
import { median } from '../measurement.ts';
import { PROGRAM, runChild, timeProcess } from '../processes.ts';

export interface ClientsSizes {
  readonly runs: number;
  readonly clientTargets: number;
  readonly seeds: number;
}

export interface QuarterJob {
  readonly folder: string;
  readonly seeds: number;
}

const MEMBERS = 4;
const SECONDS_MAX = 3;
const SHARE_MAX = 0.02;

/** Times the check of many targets, and simulates a quarter of one target with many seeds. */
export async function benchClients(folder: string, { runs, clientTargets, seeds }: ClientsSizes): Promise<PartReport> {
  const seconds = (kind: 'files' | 'csv') => {
    const made = writeTargets(join(folder, kind), clientTargets, kind);
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) times.push(timeProcess(PROGRAM, ['check'], made));
    return median(times);
  };
  const files = seconds('files');
  const csv = seconds('csv');
  const months = await runChild<number[][]>('clients/quarter', { folder: join(folder, 'quarter'), seeds });
  const within = months.filter((own) => own.every((share) => Math.abs(share) <= SHARE_MAX)).length;
  const furthest = Math.max(...months.flat().map(Math.abs));
  const line = (what: string, time: number) => [what, time.toFixed(2), time < SECONDS_MAX ? 'reached' : 'not yet'];
  const checked = renderTable(
    ['`pacekeeper check`', 'seconds', `under ${SECONDS_MAX} s`],
    [line(`${whole(clientTargets)} files in \`targets\``, files), line('one `targets.csv`', csv)],
  );
  return {
    figures: `${checked}\n\n${describeRuns(runs)} ${whole(clientTargets)} targets over ${whole(clientTargets * MEMBERS)} accounts.`,
    targets: [],
    apart: {
      quarter: `${within} of ${seeds} seeds end each month of ${QUARTER_DAYS} days within 2% of the target. The furthest month ends ${(furthest * 100).toFixed(1)}% away.`,
    },
  };
}

function writeTargets(folder: string, count: number, kind: 'files' | 'csv'): string {
  for (const name of ['queries', 'rules', 'targets']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'pacekeeper.yaml'), '');
  writeFileSync(
    join(folder, 'queries', 'campaign_spend.sql'),
    'SELECT campaign.id, campaign.name, campaign.status, metrics.clicks, metrics.cost_micros, segments.date\nFROM campaign WHERE segments.date DURING LAST_30_DAYS\n',
  );
  const rows = ['name,currency,amount,members,floor,ceiling'];
  for (let number = 0; number < count; number += 1) {
    const accounts = Array.from({ length: MEMBERS }, (_, place) => String(1_000_000_000 + number * MEMBERS + place));
    rows.push(`client ${number},EUR,${3000 + number},${accounts.join(' ')},5,800`);
    if (kind === 'csv') continue;
    const members = accounts.map(
      (account) => `  - { account: ${account}, where: "campaign_name LIKE 'Client ${number} %'" }\n`,
    );
    writeFileSync(
      join(folder, 'targets', `client_${number}.yaml`),
      `description: Client ${number} buys one amount in four accounts.\ncurrency: EUR\namount: ${3000 + number}\nmembers:\n${members.join('')}limits: { floor: 5, ceiling: 800 }\n`,
    );
  }
  if (kind === 'csv') writeFileSync(join(folder, 'targets.csv'), `${rows.join('\n')}\n`);
  return folder;
}

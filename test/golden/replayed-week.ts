import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addDays, daysOf } from '../../src/domain/civil-date.ts';
import { civilDate } from '../../src/domain/parse-civil-date.ts';
import { goldenWorld } from './world.ts';

const FIRST = civilDate('2025-04-01');
const WEEK = daysOf({ from: civilDate('2025-05-12'), to: civilDate('2025-05-18') });
const KEYWORDS = 18;

/**
 * A history in the shape of a real one, made by rule: weekdays differ, clicks grow, some keywords have days without a row, one
 * falls silent and one has two days of ten times its clicks.
 */
function history(): string {
  const lines = ['date,keyword_id,impressions,clicks'];
  for (const [day, date] of daysOf({ from: FIRST, to: addDays(FIRST, 55) }).entries()) {
    const weekday = [100, 96, 90, 94, 85, 60, 72][day % 7] ?? 0;
    for (let keyword = 0; keyword < KEYWORDS; keyword += 1) {
      if ((day * 7 + keyword * 3) % 11 === 0 || (keyword === 4 && day > 40)) continue;
      const size = 30 + ((keyword * 37) % 90) + (day >> 2);
      const impressions = Math.floor((size * 40 * weekday) / 100);
      const clicks = Math.floor(
        (size * weekday * (keyword === 7 && (day === 43 || day === 44) ? 10 : 1)) / 100 / (2 + (keyword % 3)),
      );
      lines.push(`${date},${2_000_000 + keyword},${impressions},${clicks}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const CONFIG = `automation: { mode: apply }
extract: { concurrency: 1 }
alerts: { recipients: { anna: { messages: "whatsapp:+15550100002", quiet_hours: 22:00-07:00 } }, digest_at: "08:15" }
sandbox: { market: market.csv }
`;

/** A report on each morning of a week of a history, with the shipped queries and rules. */
export async function replayedWeek(): Promise<ReadonlyMap<string, string>> {
  const world = goldenWorld();
  const { folder, run, show } = world;
  for (const name of ['queries', 'rules']) cpSync(name, join(folder, name), { recursive: true });
  cpSync('test/golden/inputs/replay', join(folder, 'rules'), { recursive: true });
  writeFileSync(join(folder, 'market.csv'), history());
  writeFileSync(join(folder, 'pacekeeper.yaml'), CONFIG);
  for (const day of WEEK) {
    world.at(`${day}T06:30:00Z`);
    await run('report');
  }
  await show('status', 'coverage', 'rules list', 'rules evaluate', 'rules explain weekday-anomaly');
  await show('rules backtest weekday-anomaly --from 2025-05-12 --to 2025-05-16');
  await show('budgets list --all', 'budgets history', 'budgets show B1', 'alerts list --all', 'audit verify');
  await show('sandbox inbox', 'simulate --days 7 --market market.csv');
  await run('publish --to csv published/csv');
  await run('publish --to json published/json');
  world.keepFiles('published/csv', ['data_dictionary.csv', 'decision.csv']);
  world.keepFiles('published/json', ['run.json', 'budget_change.json', 'campaign_spend_by_week.json']);
  world.keepFiles('data', ['report.html', 'metadata.json']);
  await world.keepPages(['/inbox', '/runs', '/runs/7', '/coverage', '/budgets', '/alerts', '/metrics']);
  return world.files();
}

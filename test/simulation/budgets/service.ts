import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { inject } from 'vitest';
import { open } from '../../../src/app.ts';
import { extract } from '../../../src/commands/extract/run-extract.ts';
import { chooseCatalogue } from '../../../src/config/load-catalogue.ts';
import { readSettings } from '../../../src/config/read-settings.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { addDays, civilDateAt } from '../../../src/domain/civil-date.ts';
import { checkQueryFile, type QueryFile } from '../../../src/language/gaql/query-file.ts';
import type { Fault } from '../../../src/sandbox/fault-modes.ts';
import type { SandboxRequest } from '../../../src/sandbox/read-request.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type FakeClock, fakeClock, fakePauses } from '../../support/fake-time.ts';
import { lookAt } from '../../support/look.ts';
import { freshDatabase } from '../../support/postgres-server.ts';
import { byEngine, freshPlace, settingsAt } from '../../support/state.ts';
import { toldLog } from '../../support/told-log.ts';

/** The accounts of the simulation: the first is in every history. */
export const CUSTOMERS = ['4081725530', '9264813507'] as const;

/** Three campaigns that share a budget, and two with their own. */
const CAMPAIGNS = ['Zubehör - %', 'Isomatten', 'Schlafsäcke', '紙製品 - %'];
const QUERY = `SELECT campaign.id, campaign.name, metrics.clicks, metrics.impressions, metrics.cost_micros, segments.date
  FROM campaign WHERE segments.date DURING LAST_30_DAYS`;
const DAYS_BEFORE = 20;
const DAYS_AFTER = 30;

/** One sandbox for all histories of a file, and state files with statistics that are read once by the product itself. */
export interface SharedService {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  readonly query: QueryFile;
  /** What the product is configured with; a history changes the mode and the data folder. */
  readonly settings: Settings;
  readonly folder: string;
  /** Who hears of each request, and says what goes wrong with it. */
  onRequest: ((request: SandboxRequest) => Fault | undefined) | undefined;
  /** Fills a data folder of a history that begins at the instant. Answers with the place of its store. */
  fill(dataFolder: string, start: string): Promise<string>;
  /** Takes back what a history has done to the service's budgets. */
  forget(): void;
  close(): Promise<void>;
}

export async function startService(): Promise<SharedService> {
  const folder = mkdtempSync(join(tmpdir(), 'pacekeeper-simulation-'));
  const clock = fakeClock('2026-11-20T12:00:00Z');
  const stateFile = join(folder, 'service.sqlite');
  const shared: { onRequest: SharedService['onRequest'] } = { onRequest: undefined };
  const fault = (request: SandboxRequest) => shared.onRequest?.(request);
  const sandbox = await startSandbox({ stateFile, clock, seed: 1, strict: false, fault });
  const settings = await settingsFor(folder, sandbox);
  const check = checkQueryFile('stats', QUERY, {
    catalogue: chooseCatalogue(settings).catalogue,
    parameters: settings.params,
  });
  if (!check.query) throw new Error(`The query has errors: ${JSON.stringify(check.diagnostics)}`);
  const query = check.query;
  const templates = new Map<string, string>();
  return Object.assign(shared, {
    sandbox,
    clock,
    query,
    settings,
    folder,
    async fill(dataFolder: string, start: string) {
      const template = templates.get(start) ?? (await readStatistics({ folder, clock, settings, query }, start));
      templates.set(start, template);
      mkdirSync(dataFolder, { recursive: true });
      if (inject('postgres') !== undefined) return freshDatabase(template);
      const place = join(dataFolder, 'state.sqlite');
      copyFileSync(template, place);
      return place;
    },
    forget() {
      const database = new Database(stateFile);
      database.exec('DELETE FROM budget_change; DELETE FROM removed_budget');
      database.close();
    },
    async close() {
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

async function settingsFor(folder: string, { url, credentials }: Sandbox): Promise<Settings> {
  const env = { PACEKEEPER_TARGET: 'live', ADS_URL: url, ADS_ACCESS_TOKEN: credentials.accessToken };
  const paths = { dataDir: join(folder, 'data'), queries: folder, rules: folder };
  return readSettings(folder, paths, { ...env, ADS_CUSTOMER_IDS: CUSTOMERS.join() });
}

/** Reads the days around the start as they will be when all of them are settled. */
async function readStatistics(
  { folder, clock, settings, query }: Pick<SharedService, 'folder' | 'clock' | 'settings' | 'query'>,
  start: string,
): Promise<string> {
  const day = civilDateAt(Date.parse(start), 'UTC');
  const data = join(folder, `template-${start.replace(/\W/g, '')}`);
  clock.set(`${addDays(day, DAYS_AFTER + 3)}T12:00:00Z`);
  const place = inject('postgres') === undefined ? join(data, 'state.sqlite') : await freshPlace();
  const own = settingsAt({ ...settings, paths: { ...settings.paths, data } }, place);
  const line = () => undefined;
  const deps = { clock, pauses: fakePauses(), log: toldLog({ info: line, warn: line }) };
  const range = { from: addDays(day, -DAYS_BEFORE), to: addDays(day, DAYS_AFTER) };
  const { failures } = await open(own, deps, { what: 'all', lock: 'a test' }, (app) =>
    extract(app, { queries: [query], rules: [], findings: [] }, { customers: [], scope: { kind: 'range', range } }),
  );
  if (failures.length > 0) throw new Error('The statistics were not read.');
  const database = byEngine({ sqlite: () => new Database(place), postgres: () => lookAt(place) })();
  const keep = CAMPAIGNS.map((name) => `campaign_name LIKE '${name}'`).join(' OR ');
  const compact = byEngine({ sqlite: ['PRAGMA journal_mode = DELETE', 'VACUUM'], postgres: [] });
  for (const statement of [`DELETE FROM stats WHERE NOT (${keep})`, ...compact]) database.exec(statement);
  database.close();
  return place;
}

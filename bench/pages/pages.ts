import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { addToken, tokensPath } from '../../src/dashboard/server/access-tokens.ts';
import { addDays } from '../../src/domain/civil-date.ts';
import { HEALTH_PATH, PAGES } from '../../src/domain/pages.ts';
import { describeRuns, type PartReport, renderTable } from '../figures.ts';
import { withFolder } from '../folders.ts';
import { median } from '../measurement.ts';
import type { PageSizes } from '../page/page.ts';
import { PAGE_DAYS, type PageJob } from '../page/page-job.ts';
import { childPath, runChild, withProgram } from '../processes.ts';
import { CUSTOMER, QUERY_FILE, TODAY } from '../query.ts';
import type { BudgetsJob } from './pages-job.ts';

const VIEWERS = 200;
const DAYS_ASKED = 28;
const NOW = `${TODAY}T12:00:00Z`;

/** The ids in the addresses of pages. */
const IDS: Readonly<Record<string, string>> = {
  customer: CUSTOMER,
  budget: '1',
  campaign: '20000000001',
  id: '1',
  name: 'trim',
};

const RULE = `description: Trim campaigns without clicks.
from: keyword_stats
for: campaign
over: 14 days
when: clicks < 300 AND cost >= 100
currency: USD
change: decrease budget by 5%
mode: propose
`;

/** Measures each page of the dashboard to its first byte: alone, and while 200 viewers ask at once. */
export async function benchPages(folder: string, { runs, pageCampaigns }: PageSizes): Promise<PartReport> {
  return withFolder(folder, async (own) => {
    const data = join(own, 'data');
    mkdirSync(data);
    for (const part of ['queries', 'rules']) mkdirSync(join(own, part));
    cpSync(QUERY_FILE, join(own, QUERY_FILE));
    writeFileSync(join(own, 'rules', 'trim.yaml'), RULE);
    await runChild('page/fill-page', { folder: data, campaigns: pageCampaigns, keywords: 1 } satisfies PageJob);
    await runChild('pages/fill-budgets', { folder: data, campaigns: pageCampaigns } satisfies BudgetsJob);
    const token = addToken(tokensPath(data), { name: 'bench', role: 'viewer' }, NOW);
    return withProgram(own, { PACEKEEPER_NOW: NOW }, async (url) => {
      const pool = new Pool(url, { connections: VIEWERS + 1, pipelining: 1 });
      try {
        return await measurePages(pool, url, token, { runs, pageCampaigns });
      } finally {
        await pool.close();
      }
    });
  });
}

async function measurePages(
  pool: Pool,
  url: string,
  token: string,
  { runs, pageCampaigns }: PageSizes,
): Promise<PartReport> {
  // `/kit` and `/links` are off unless a setting says so.
  const { kit, links, ...measured } = PAGES;
  const paths = Object.values(measured).map(({ path }) =>
    path.replaceAll(/:(\w+)/g, (_, id: string) => IDS[id] ?? '1'),
  );
  /** Milliseconds to the first byte. Throws if the page is not there. */
  const ask = async (path: string): Promise<number> => {
    const sentMs = performance.now();
    const { statusCode, body } = await pool.request({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${token}` },
      headersTimeout: 0,
    });
    const firstMs = performance.now() - sentMs;
    await body.dump({ limit: Number.MAX_SAFE_INTEGER });
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}, expected 200.`);
    return firstMs;
  };
  const alone = new Map<string, number[]>([HEALTH_PATH, ...paths].map((path) => [path, []]));
  // The first round fills the caches and does not count.
  for (let run = 0; run <= runs; run += 1) {
    for (const [path, times] of alone) {
      const ms = await ask(path);
      if (run > 0) times.push(ms);
    }
  }
  const crowds: { readonly median: number; readonly last: number; readonly health: readonly number[] }[] = [];
  for (let run = 0; run < runs; run += 1) {
    const monitor = await startMonitor(url);
    // Each viewer of a page asks for other days, so that no two share a page or its sums.
    const viewers = Array.from({ length: VIEWERS }, (_, viewer) => {
      const before = Math.floor((run * VIEWERS + viewer) / paths.length);
      const days = `from=${addDays(TODAY, -DAYS_ASKED - before)}&to=${addDays(TODAY, -1 - before)}`;
      return ask(`${paths[viewer % paths.length]}?${days}`);
    });
    const times = await Promise.all(viewers);
    crowds.push({ median: median(times), last: Math.max(...times), health: await monitor.end() });
  }
  const healthMs = median(alone.get(HEALTH_PATH) ?? []);
  const shown = (ms: number) => (ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en'));
  const pages = [...alone].map(([path, times]) => {
    const ms = median(times);
    return [`\`${path}\``, shown(ms), (ms / healthMs).toFixed(1)];
  });
  const crowd = [
    ['the median viewer', shown(median(crowds.map((one) => one.median)))],
    ['the last viewer', shown(median(crowds.map(({ last }) => last)))],
    ['`/health` at the same time, median', shown(median(crowds.map(({ health }) => median(health))))],
    ['`/health` at the same time, slowest', shown(median(crowds.map(({ health }) => Math.max(...health))))],
  ];
  const figures = `${renderTable(['GET', 'ms to the first byte', `× \`${HEALTH_PATH}\``], pages)}

One account, ${pageCampaigns.toLocaleString('en')} campaigns with a changed budget each × ${PAGE_DAYS} days. ${describeRuns(runs)}

${renderTable([`${VIEWERS} viewers at once, each with other days`, 'ms to the first byte'], crowd)}`;
  return { figures, targets: [] };
}

/** A process of its own asks for `/health`, so that the viewers' requests do not delay the monitor itself. */
async function startMonitor(url: string) {
  const child = spawn(process.execPath, [childPath('pages/ask-health'), JSON.stringify({ url })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const parts = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
  await parts.next();
  return {
    async end(): Promise<readonly number[]> {
      child.stdin.end();
      let printed = '';
      for await (const part of { [Symbol.asyncIterator]: () => parts }) printed += part;
      return JSON.parse(printed) as number[];
    },
  };
}

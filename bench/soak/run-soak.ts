import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { childPath, PROGRAM, withServer } from '../processes.ts';
import { sendWebhooks, WEBHOOK_SECRETS } from '../serve/send-webhooks.ts';
import type { SoakHour } from './soak-hour.ts';

/** What the service of the soak is told. */
export interface SoakJob {
  readonly accounts: number;
  /** Before every answer. */
  readonly latencyMs: number;
  /** The file that says how far the time of the soak is ahead. */
  readonly ahead: string;
}

const MIB = 1024 * 1024;

/** The resident set of a process that runs, in MiB. */
function residentMiB(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
}

/** How many files, sockets and the like a process that runs has open. */
function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** 0 for a file that is not there. */
function fileMiB(folder: string, name: string): number {
  return (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0) / MIB;
}

/** The program, running beside the soak. */
interface StartedProgram {
  readonly pid: number;
  /** The first line that it printed. */
  readonly ready: string;
  /** The end of what it wrote, and of what its own processes did. */
  said(): string;
  /** Throws with the end of what it wrote once it has ended by itself. */
  check(): void;
  /** Asks it to end; rejects when it does not end with 0. */
  stop(): Promise<void>;
}

/** Starts a command that stays, in the time of the soak, and waits until it says that it is ready. */
async function startProgram(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<StartedProgram> {
  const child = spawn(process.execPath, ['--import', pathToFileURL(childPath('soak/soaked')).href, PROGRAM, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  // Whoever stops the soak stops what it has started.
  const follow = () => child.kill('SIGTERM');
  process.once('exit', follow);
  const ended = once(child, 'close').finally(() => process.off('exit', follow));
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const failure = () => new Error(`pacekeeper ${args[0]}: found ${endOf(child)}, expected it to go on.\n${said}`);
  const [ready] = await Promise.race([once(child.stdout?.setEncoding('utf8') ?? child, 'data'), ended]);
  if (typeof ready !== 'string' || child.pid === undefined) throw failure();
  child.stdout?.resume();
  return {
    pid: child.pid,
    ready,
    said: () => said,
    check() {
      if (child.exitCode !== null || child.signalCode !== null) throw failure();
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      if (child.exitCode !== 0) throw failure();
    },
  };
}

function endOf({ exitCode, signalCode }: ChildProcess): string {
  return signalCode ?? `exit status ${exitCode}`;
}

export interface SoakSizes {
  readonly accounts: number;
  readonly hours: number;
  readonly latencyMs: number;
  /** Sent to `serve` within each hour. */
  readonly webhooks: number;
}

const HOUR_MS = 3_600_000;
const LOOK_MS = 50;
/** A run that takes longer than this has stopped. */
const RUN_MAX_MS = 600_000;
/** After its run, so long an hour's processes have to become quiet before they are looked at. */
const QUIET_MS = 1_000;
const CONNECTIONS = 8;

const QUERIES = ['campaign', 'campaign_budget', 'campaign_spend', 'keyword_stats'];
const RULES = ['runaway-spend-today', 'stopped-spending', 'cut-without-conversions'];
const SETTINGS = `schedule:
  - { name: hourly, cron: "0 * * * *", time_zone: UTC, job: report }
`;

/** What a run noted at its end. */
interface RunNote {
  readonly command: string;
  readonly peakMiB: number;
  readonly descriptors: number;
}

/**
 * Lets `schedule` and `serve` live through the hours in the folder, with a `report` each hour on the hour and webhooks meanwhile. An hour
 * passes as soon as its run has ended. Throws when a run fails or one of the two ends.
 */
export async function runSoak(folder: string, sizes: SoakSizes, onHour: (hour: SoakHour) => void): Promise<SoakHour[]> {
  for (const name of ['queries', 'rules']) mkdirSync(join(folder, name));
  for (const name of QUERIES) copyInto(folder, `queries/${name}.sql`);
  for (const name of RULES) copyInto(folder, `rules/${name}.yaml`);
  writeFileSync(join(folder, 'pacekeeper.yaml'), SETTINGS);
  const ahead = join(folder, 'ahead');
  // Just before the first full hour, so that the schedule knows its job by then.
  const firstMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS;
  const at = (instantMs: number) => writeFileSync(ahead, String(instantMs - Date.now()));
  at(firstMs - 60_000);
  const job: SoakJob = { accounts: sizes.accounts, latencyMs: sizes.latencyMs, ahead };
  return withServer('soak/soak-service', job, async (url) => {
    const env = {
      SOAK_AHEAD: ahead,
      SOAK_NOTES: join(folder, 'notes'),
      PACEKEEPER_TARGET: 'live',
      ADS_URL: url,
      ADS_ACCESS_TOKEN: 'soak-access',
      ADS_DEVELOPER_TOKEN: 'soak-developer',
    };
    const started: StartedProgram[] = [];
    try {
      const server = await startProgram(folder, ['serve'], { ...env, ...receiving(url) });
      started.push(server);
      const daemon = await startProgram(folder, ['schedule'], env);
      started.push(daemon);
      const { address } = JSON.parse(server.ready) as { readonly address: string };
      const hours: SoakHour[] = [];
      for (let hour = 1; hour <= sizes.hours; hour += 1) {
        const dueMs = firstMs + (hour - 1) * HOUR_MS;
        at(dueMs + 1_000);
        const sent = sendWebhooks(address, 'messages', { requests: sizes.webhooks, connections: CONNECTIONS });
        const run = await runOf(folder, dueMs, server, daemon);
        await sent;
        await pause(QUIET_MS);
        const left = { hour, ...run, ...leftBy(folder, server.pid, daemon.pid) };
        hours.push(left);
        onHour(left);
      }
      return hours;
    } finally {
      for (const program of started) await program.stop();
    }
  });
}

/** What `serve` needs to take webhooks; `schedule` goes without, so that nothing is sent and numbers alone are soaked. */
function receiving(url: string): Readonly<Record<string, string>> {
  const { messages } = WEBHOOK_SECRETS;
  return {
    SERVE_PORT: '0',
    MESSAGES_URL: url,
    MESSAGES_ACCOUNT_ID: 'AC00000000000000000000000000005a4d',
    MESSAGES_USERNAME: 'AC00000000000000000000000000005a4d',
    MESSAGES_PASSWORD: messages,
    MESSAGES_FROM: 'whatsapp:+15550100001',
    MESSAGES_TO: 'whatsapp:+15550100002',
  };
}

function copyInto(folder: string, path: string): void {
  copyFileSync(path, join(folder, path));
}

/** Waits for the run of the hour; the log of `state.sqlite` is watched meanwhile. */
async function runOf(
  folder: string,
  dueMs: number,
  server: StartedProgram,
  daemon: StartedProgram,
): Promise<Pick<SoakHour, 'seconds' | 'walMiB'>> {
  const data = join(folder, 'data');
  const due = new Date(dueMs).toISOString().replace('.000', '');
  const file = new Database(join(data, 'schedule.sqlite'), { readonly: true });
  const tickOf = file.prepare('SELECT state FROM tick WHERE due_at = ?');
  let startedMs: number | undefined;
  let walMiB = 0;
  const beganMs = performance.now();
  try {
    for (;;) {
      await pause(LOOK_MS);
      for (const program of [server, daemon]) program.check();
      walMiB = Math.max(walMiB, fileMiB(data, 'state.sqlite-wal'));
      const tick = tickOf.get(due) as { readonly state: string } | undefined;
      if (tick?.state === 'running') startedMs ??= performance.now();
      if (tick?.state === 'done') return { seconds: (performance.now() - (startedMs ?? beganMs)) / 1000, walMiB };
      const waits = tick === undefined || tick.state === 'waiting' || tick.state === 'running';
      if (!waits) throw new Error(`The run of ${due}: found ${tick.state}, expected done.\n${daemon.said()}`);
      if (performance.now() - beganMs > RUN_MAX_MS) throw new Error(`The run of ${due} has not ended in ten minutes.`);
    }
  } finally {
    file.close();
  }
}

function leftBy(folder: string, serve: number, daemon: number): Omit<SoakHour, 'hour' | 'seconds' | 'walMiB'> {
  const data = join(folder, 'data');
  const notes = readFileSync(join(folder, 'notes'), 'utf8').trim().split('\n');
  const run = JSON.parse(notes.at(-1) ?? '') as RunNote;
  if (run.command !== 'report')
    throw new Error(`${basename(folder)}: found a note of ${run.command}, expected report.`);
  return {
    runPeakMiB: run.peakMiB,
    runDescriptors: run.descriptors,
    daemonMiB: residentMiB(daemon),
    daemonDescriptors: openDescriptors(daemon),
    serveMiB: residentMiB(serve),
    serveDescriptors: openDescriptors(serve),
    stateMiB: fileMiB(data, 'state.sqlite'),
    inboxMiB: fileMiB(data, 'inbox.sqlite') + fileMiB(data, 'inbox.sqlite-wal'),
    warehouseMiB: fileMiB(data, 'warehouse.sqlite'),
    files: filesIn(data),
  };
}

/** Without the records of runs, of which the newest 400 are kept. */
function filesIn(data: string): number {
  return readdirSync(data, { recursive: true, encoding: 'utf8' }).filter((name) => !/^runs\/\d+\.json$/.test(name))
    .length;
}

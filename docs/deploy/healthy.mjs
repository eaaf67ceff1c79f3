// The image's health check. Exits with 0 if the container works: node healthy.mjs lease|schedule|serve [data folder]
// `lease`: the schedule goes on. `schedule`: and its jobs can run. A new start cures no job, so restart by `lease` only.
// node healthy.mjs worker [options of pacekeeper status]: the worker of this host says that it lives.
import { execFile } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const [, , role = 'schedule', dataDir = '/data'] = process.argv;

/** Jobs whose newest run ended before it began: the command refused, was killed, or recorded no run. */
const CANNOT_RUN = `SELECT job FROM tick JOIN known_job ON known_job.name = job
  WHERE state = 'failed' AND due_at = (SELECT max(due_at) FROM tick AS own WHERE own.job = tick.job AND own.started_at IS NOT NULL)
    AND (coalesce(exit_code, 2) = 2 OR (run_id IS NULL AND (fingerprint LIKE 'report %' OR fingerprint LIKE 'extract %')))`;

/** The schedule renews its lease every half minute. A lease lasts two minutes. */
async function scheduleFault() {
  const { default: Database } = await import('better-sqlite3');
  const file = new Database(join(dataDir, 'schedule.sqlite'), { readonly: true, fileMustExist: true });
  const expiresAt = file.prepare('SELECT expires_at FROM lease').pluck().get();
  const jobs = role === 'lease' ? [] : file.prepare(CANNOT_RUN).pluck().all();
  file.close();
  if (typeof expiresAt !== 'string' || Date.parse(expiresAt) <= Date.now()) return 'it has stopped';
  return jobs.length === 0
    ? undefined
    : `these jobs cannot run: ${jobs.join(', ')}. See the log, or run pacekeeper doctor`;
}

async function serveFault() {
  const answer = await fetch(`http://127.0.0.1:${process.env.SERVE_PORT ?? 4020}/health`);
  return answer.ok ? undefined : `HTTP ${answer.status}`;
}

/** If the database does not answer, a new start cures nothing. */
async function workerFault() {
  const args = ['dist/main.js', 'status', '--format', 'json', ...process.argv.slice(3)];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(() => ({ stdout: '' }));
  const { workers } = stdout === '' ? {} : JSON.parse(stdout);
  const lives = workers?.live_workers.some((worker) => worker.endsWith(`@${hostname()}`)) ?? true;
  return lives ? undefined : 'its last heartbeat is too old';
}

const messageOf = (error) => (error instanceof Error ? error.message : String(error));
const faults = { serve: serveFault, worker: workerFault };
const fault = await (faults[role] ?? scheduleFault)().catch(messageOf);
if (fault !== undefined) console.error(`pacekeeper ${role} does not work: ${fault}.`);
process.exitCode = fault === undefined ? 0 : 1;

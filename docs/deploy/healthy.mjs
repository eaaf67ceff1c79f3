// The image's health check. Exits with 0 if the container works: node healthy.mjs lease|schedule|serve [data folder]
// `lease`: the schedule goes on. `schedule`: and its jobs can run. A new start cures no job, so restart by `lease` only.
import { join } from 'node:path';

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

const messageOf = (error) => (error instanceof Error ? error.message : String(error));
const fault = await (role === 'serve' ? serveFault() : scheduleFault()).catch(messageOf);
if (fault !== undefined) console.error(`pacekeeper ${role} does not work: ${fault}.`);
process.exitCode = fault === undefined ? 0 : 1;

import type pg from 'pg';

const VACUUM = 'VACUUM FULL alert, message, outbox, reply, webhook_event';

/**
 * The server keeps old rows until it needs their place. Only FULL writes the tables anew. For a table of another owner, the
 * server only warns. `where` is the address without its password.
 */
export async function overwriteDeleted(client: pg.Client, where: string): Promise<void> {
  const warnings: string[] = [];
  client.on('notice', ({ severity, message = '' }) => void (severity === 'WARNING' && warnings.push(message)));
  await client.query(VACUUM);
  const [first] = warnings;
  if (first === undefined) return;
  throw Object.assign(new Error(`Deleted texts stay in ${where}: ${first}.`), {
    code: 'NOT_OWNER',
    nextStep: `As the owner of the tables, run pacekeeper forget again, or ${VACUUM}.`,
  });
}

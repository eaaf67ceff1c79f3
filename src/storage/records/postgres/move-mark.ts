import { sql } from 'kysely';
import type pg from 'pg';
import { InputError } from '../../../domain/errors.ts';
import { MOVE_AGAIN } from '../move-again.ts';
import type { StateDb } from '../record-store.ts';

export interface MoveMark {
  /** `arriving`: the records are not complete yet. `leaving` and `left`: they go on in the other store. */
  readonly state: 'arriving' | 'leaving' | 'left';
  /** The data folder at the other end of the move. */
  readonly other: string;
}

export const MOVE_TABLE = `CREATE TABLE store_move (id bigint PRIMARY KEY CHECK (id = 1),
  state text NOT NULL CHECK (state IN ('arriving', 'leaving', 'left')), other text NOT NULL)`;

const SELECT = 'SELECT state, other FROM pacekeeper.store_move';

/** The reason why no command may use the records, if they are moving or moved. */
export async function moveRefusal(client: pg.Client, where: string): Promise<InputError | undefined> {
  const [mark] = (await client.query<MoveMark & pg.QueryResultRow>(SELECT)).rows;
  return mark && refusalOf(mark, where);
}

export function refusalOf({ state, other }: MoveMark, where: string): InputError {
  if (state === 'left') {
    return new InputError(`The records of ${where} moved to ${other}.`, {
      nextStep: 'Use this data folder without store.url, or name another database.',
    });
  }
  const [from, to] = state === 'arriving' ? [other, where] : [where, other];
  return new InputError(`The move of the records from ${from} to ${to} is not complete.`, { nextStep: MOVE_AGAIN });
}

export async function moveMark(db: StateDb): Promise<MoveMark | undefined> {
  return (await sql<MoveMark>`${sql.raw(SELECT)}`.execute(db)).rows[0];
}

export async function markMove(trx: StateDb, mark: MoveMark | undefined): Promise<void> {
  await sql`DELETE FROM pacekeeper.store_move`.execute(trx);
  if (mark === undefined) return;
  await sql`INSERT INTO pacekeeper.store_move VALUES (1, ${mark.state}, ${mark.other})`.execute(trx);
}

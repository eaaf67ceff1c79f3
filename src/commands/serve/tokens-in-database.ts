import type { Kysely } from 'kysely';
import {
  type AccessToken,
  makeToken,
  readTokens,
  refuseAbsent,
  type TokenStore,
  usedName,
} from '../../dashboard/server/access-tokens.ts';
import type { Role } from '../../domain/role.ts';
import { databaseAddress } from '../../storage/records/postgres/address.ts';
import { isLost } from '../../storage/records/postgres/database-failure.ts';
import { openBeside } from '../../storage/records/postgres/open-records.ts';
import { INBOX_LOCK } from '../../storage/records/postgres/postgres-driver.ts';

export type TokenSchema = {
  readonly accessToken: {
    readonly sha256: string;
    readonly name: string;
    readonly role: Role;
    readonly createdAt: string;
    readonly revokedAt: string | null;
  };
  readonly spentId: { readonly id: string; readonly untilMs: bigint };
};

const WAIT_MS = 5000;

/** Includes revoked tokens. */
export function tokensIn(db: Kysely<TokenSchema>) {
  const columns = ['name', 'role', 'createdAt', 'sha256'] as const;
  return db.selectFrom('accessToken').select(columns).orderBy('createdAt').orderBy('name');
}

/** Takes over the tokens of `file`, except known ones, which can be revoked. The file stays for the version before. */
export async function openTokensInDatabase(url: string, file: string): Promise<TokenStore> {
  const taken = readTokens(file);
  const db = await openBeside<TokenSchema>({ url, waitMs: WAIT_MS, lock: INBOX_LOCK });
  const insert = (rows: readonly TokenSchema['accessToken'][]) =>
    db
      .insertInto('accessToken')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
  let known: readonly AccessToken[] | undefined;
  const readNow = () => tokensIn(db).where('revokedAt', 'is', null).execute();
  const read = async () => {
    try {
      const found = await readNow();
      known = found;
      return found;
    } catch (error) {
      // Pages then say that the database is away. They can show and change nothing, also for an ended login.
      if (known === undefined || known.length === 0 || !isLost(error)) throw error;
      return known;
    }
  };
  try {
    if (taken.length > 0) await insert(taken.map((token) => ({ ...token, revokedAt: null })));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    place: databaseAddress(url),
    spent: {
      origin: '',
      async spend(id, untilMs, nowMs) {
        await db.deleteFrom('spentId').where('untilMs', '<=', BigInt(nowMs)).execute();
        const row = { id, untilMs: BigInt(untilMs) };
        const adding = db
          .insertInto('spentId')
          .values(row)
          .onConflict((conflict) => conflict.doNothing());
        const { numInsertedOrUpdatedRows = 0n } = await adding.executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows > 0n;
      },
      async isSpent(id) {
        try {
          const found = await db.selectFrom('spentId').select('id').where('id', '=', id).executeTakeFirst();
          return found !== undefined;
        } catch (error) {
          if (!isLost(error)) throw error;
          return false;
        }
      },
    },
    read,
    async add(named, createdAt) {
      const { token, made } = makeToken(named, createdAt);
      const { numInsertedOrUpdatedRows = 0n } = await insert([{ ...made, revokedAt: null }]);
      if (numInsertedOrUpdatedRows === 0n) throw usedName(named.name);
      return token;
    },
    async revoke(name, revokedAt) {
      const update = db.updateTable('accessToken').set({ revokedAt }).where('name', '=', name);
      const { numUpdatedRows } = await update.where('revokedAt', 'is', null).executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) refuseAbsent(await readNow(), name);
    },
    close: () => db.destroy(),
  };
}

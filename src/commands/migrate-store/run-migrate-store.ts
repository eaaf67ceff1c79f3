import { resolve } from 'node:path';
import { returnTokens, tokensPath } from '../../dashboard/server/access-tokens.ts';
import { withCaFile } from '../../domain/connection-settings.ts';
import { InputError } from '../../domain/errors.ts';
import { databaseEnd } from '../../engine/folder/database-end.ts';
import { folderEnd } from '../../engine/folder/folder-end.ts';
import { number, text } from '../../storage/columns/column.ts';
import { headText } from '../../storage/records/budgets/record-head.ts';
import type { RecordStore } from '../../storage/records/record-store.ts';
import { type Listing, memberPart } from '../../views/kit/listing.ts';
import { count } from '../../views/text/text-layout.ts';
import type { CommandApp } from '../cli/command.ts';
import { listingIn } from '../cli/print-listing.ts';
import { type TokenSchema, tokensIn } from '../serve/tokens-in-database.ts';
import type { MigrateStoreOptions } from './migrate-store-command.ts';
import { type Move, type MovedStore, moveStore } from './move-store.ts';
import type { MovedTally } from './move-tables.ts';

export async function runMigrateStore(app: CommandApp, options: MigrateStoreOptions): Promise<void> {
  const move = { ...moveOf(app, options), isDryRun: options.dryRun ?? false };
  const moved = await moveStore(move, app);
  app.output.stdout.write(listingIn(options.format, MIGRATE_STORE, moved, app.output));
}

type Place = { readonly folder: string } | { readonly url: string; readonly name: string };

function moveOf(app: CommandApp, options: MigrateStoreOptions): Omit<Move, 'isDryRun'> {
  const from = placeOf(app, 'from', options.from);
  const to = placeOf(app, 'to', options.to);
  if ('folder' in from && 'folder' in to) {
    throw new InputError('Both places are data folders, expected one database.', {
      nextStep: 'To copy records between folders, use pacekeeper backup and pacekeeper restore.',
    });
  }
  if ('url' in from && 'url' in to) {
    throw new InputError('Both places are databases, expected one data folder.', {
      nextStep: 'To copy records between databases, use pg_dump and pg_restore.',
    });
  }
  const folder = 'folder' in from ? from.folder : 'folder' in to ? to.folder : '';
  const settings = { ...app.settings, paths: { ...app.settings.paths, data: folder } };
  const endOf = (place: Place) =>
    'folder' in place ? folderEnd(settings) : databaseEnd(place.url, place.name, folder);
  const carry = 'url' in from ? (store: RecordStore) => carryTokens(store, tokensPath(folder)) : undefined;
  return { from: endOf(from), to: endOf(to), settings, carry };
}

/** `serve` takes over the tokens of files by itself. */
async function carryTokens({ db }: RecordStore, file: string): Promise<void> {
  const inDatabase = db.withTables<TokenSchema>();
  const revoked = await tokensIn(inDatabase).where('revokedAt', 'is not', null).execute();
  returnTokens(file, await tokensIn(inDatabase).where('revokedAt', 'is', null).execute(), revoked);
}

function placeOf({ folder, environment, settings }: CommandApp, option: string, text: string): Place {
  if (/^postgres(?:ql)?:/i.test(text)) {
    // The message must not repeat the address, because it contains a password.
    throw new InputError(`--${option} is an address, which shows its password to others on this machine.`, {
      nextStep: `Put the address in an environment variable or in .env, and name it: --${option} env:PACEKEEPER_STORE_URL`,
    });
  }
  const name = /^env:(.*)$/s.exec(text)?.[1];
  if (name === undefined) {
    if (text.trim() === '') throw new InputError(`--${option} is empty, expected a data folder or env:NAME.`, {});
    return { folder: resolve(folder, text) };
  }
  const url = environment[name]?.trim();
  if (url) return { url: withCaFile(url, settings.tls.caFile), name };
  throw new InputError(`The environment variable ${name} is not set, expected the address of a database.`, {
    nextStep: `Set ${name} in the environment or in .env: postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
  });
}

export const MIGRATE_STORE: Listing<MovedStore> = {
  name: 'migrate-store',
  about: 'One row per table that moved. The rows in both places are equal.',
  none: 'All tables had arrived before.',
  json: ({ from, to, head, kept }) => ({ from, to, head: headText(head), kept: kept ?? null }),
  after: sentencesOf,
  parts: [
    memberPart('tables', {
      title: 'Tables',
      columns: [
        text<'table', MovedTally>('table', 'The table.', 'table', { title: 'Table' }),
        number('rows', 'The number of rows.', 'rows', { title: 'Rows' }),
        text('checksum', 'Equal rows in any order give the same text.', 'checksum', { title: 'Checksum' }),
      ],
    }),
  ],
};

function sentencesOf({ from, to, tables, head, kept, isDryRun }: MovedStore): readonly string[] {
  if (isDryRun) return [`Dry run: ${from} can move to ${to}. Nothing was changed.`];
  return [
    `The records moved from ${from} to ${to}. ${count(tables.length, 'table')} were compared and are equal. The audit trail is sound. Head: ${headText(head)}`,
    kept === undefined
      ? `The old records in ${from} stay as a backup, but no command uses them. The dashboard's tokens moved, too.`
      : `The old records stay as a backup in ${kept}, but no command uses them. warehouse.sqlite was removed, because its numbers would become old. BI tools read the schema warehouse. pacekeeper publish --to sqlite FILE writes a file.`,
  ];
}

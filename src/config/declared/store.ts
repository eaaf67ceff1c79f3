import { group, section, setting } from '../../language/settings/declare.ts';
import { nonEmptyText } from '../../language/yaml/scalars.ts';

export const STORE = section(
  'The store',
  { isOfAreas: false },
  {
    store: group({
      url: setting(
        nonEmptyText,
        'A PostgreSQL database for the records and tables: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. See [scale-out.md](scale-out.md)',
        { env: ['PACEKEEPER_STORE_URL'], secrecy: 'secret', without: 'files in the data folder' },
      ),
      explore_url: setting(
        nonEmptyText,
        'The same database for a role that may only read the schema `warehouse`. The dashboard runs the queries of Explore as this role',
        { env: ['PACEKEEPER_STORE_EXPLORE_URL'], secrecy: 'secret', without: 'no Explore on PostgreSQL' },
      ),
    }),
    publish: group({
      postgres: group({
        url: setting(
          nonEmptyText,
          'A PostgreSQL database for a copy of the published tables, in the schema `published`: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. See [bi.md](bi.md#a-copy-in-postgresql)',
          { env: ['PUBLISH_POSTGRES_URL'], secrecy: 'secret', without: 'no copy' },
        ),
      }),
    }),
  },
);

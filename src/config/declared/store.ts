import { nonEmptyText } from '../../yaml/scalars.ts';
import { group, section, setting } from './declare.ts';

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
    }),
  },
);

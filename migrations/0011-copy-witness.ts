import { COPY_WITNESS } from '../src/storage/records/postgres/copy-witness.ts';

/** Lets a database notice that it was restored from a dump. A new one gets this with its other own tables. */
export const statements = COPY_WITNESS.map((postgres) => ({ postgres }));

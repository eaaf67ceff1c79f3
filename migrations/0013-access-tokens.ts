import { ACCESS_TOKEN_TABLE } from '../src/storage/records/postgres/access-token-table.ts';

/** Tokens of the dashboard for all pods. On files, they stay in `serve-tokens.json`. */
export const statements = ACCESS_TOKEN_TABLE.map((postgres) => ({ postgres }));

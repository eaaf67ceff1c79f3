import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import { benchQuery, CUSTOMER } from './bench-query.ts';
import { type LoadJob, measure, readJob } from './measurement.ts';
import { type ParsedRow, PEER_TABLE, PEER_UPSERT, type RawRow, valuesOfParsed, valuesOfRaw } from './peer-rows.ts';
import { PEERS_MANIFEST } from './peers-folder.ts';
import { checkTotals } from './totals.ts';

/** Of the community client, what is called here: it is not installed with the project, so its own types are not at hand. */
interface Client {
  readonly GoogleAdsApi: new (options: ClientOptions) => { Customer(options: CustomerOptions): PeerCustomer };
}
interface ClientOptions {
  readonly client_id: string;
  readonly client_secret: string;
  readonly developer_token: string;
  /** Rows as the service wrote them; otherwise keys become snake_case, an int64 a number, a word of an enum its number. */
  readonly disable_parsing: boolean;
}
interface CustomerOptions {
  readonly customer_id: string;
  readonly refresh_token: string;
}
interface PeerCustomer {
  getAccessToken: () => Promise<string>;
  queryStream<Row>(query: string): AsyncIterable<Row>;
}
interface Axios {
  readonly interceptors: {
    readonly request: { use(change: (request: { url: string }) => { url: string }): void };
  };
}

/**
 * `peer-child.js JOB`: the response through the community client's own stream, one run of one prepared upsert per row as
 * its users write it, and one transaction around all, which not all of them write.
 */
const job = readJob<LoadJob>();
const fromPeers = createRequire(PEERS_MANIFEST);
const { GoogleAdsApi } = fromPeers('google-ads-api') as Client;
const axios = createRequire(fromPeers.resolve('google-ads-api'))('axios') as Axios;
// The client calls its provider's address and no other.
axios.interceptors.request.use((request) => Object.assign(request, { url: `${job.url}/` }));

const database = new Database(job.database);
database.pragma('journal_mode = WAL');
database.exec(PEER_TABLE);
const { text } = benchQuery();
const upsert = database.prepare(PEER_UPSERT);
await measure(load, () => checkTotals(database, 'keyword_stats', job.expected));
database.close();

async function load(): Promise<void> {
  database.exec('BEGIN');
  if (job.parsing === false) {
    for await (const row of connect(true).queryStream<RawRow>(text)) upsert.run(CUSTOMER, ...valuesOfRaw(row));
  } else {
    for await (const row of connect(false).queryStream<ParsedRow>(text)) upsert.run(CUSTOMER, ...valuesOfParsed(row));
  }
  database.exec('COMMIT');
}

function connect(disableParsing: boolean): PeerCustomer {
  const secrets = { client_id: 'bench', client_secret: 'bench', developer_token: 'bench' };
  const client = new GoogleAdsApi({ ...secrets, disable_parsing: disableParsing });
  const customer = client.Customer({ customer_id: CUSTOMER, refresh_token: 'bench' });
  // Otherwise it would ask its provider for one.
  customer.getAccessToken = async () => 'bench';
  return customer;
}

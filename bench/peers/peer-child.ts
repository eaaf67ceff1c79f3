import { createRequire } from 'node:module';
import Database from 'better-sqlite3';
import type { LoadJob, ResponseRow } from '../extraction/response.ts';
import { measure, readJob } from '../measurement.ts';
import { benchQuery, CUSTOMER } from '../query.ts';
import { checkTotals } from '../totals.ts';
import { PEER_TABLE } from './peer-table.ts';
import { PEERS_MANIFEST } from './peers-folder.ts';

/** Ids and numbers: text as the service wrote them, or numbers as the client made of them. */
type Value = string | number;

interface Named {
  readonly id: Value;
  readonly name: string;
}

/** A row as the client gives it by default. */
interface ParsedRow {
  readonly campaign: Named & { readonly advertising_channel_type: Value };
  readonly ad_group: Named & { readonly status: Value };
  readonly ad_group_criterion: {
    readonly criterion_id: Value;
    readonly status: Value;
    readonly keyword: { readonly text: string; readonly match_type: Value };
  };
  readonly metrics: { readonly impressions: Value; readonly clicks: Value; readonly cost_micros: Value };
  readonly segments: { readonly date: string };
}

/** What stands behind the account in {@link PEER_TABLE}. */
function valuesOfParsed(row: ParsedRow): Value[] {
  const { campaign, ad_group: adGroup, ad_group_criterion: criterion, metrics, segments } = row;
  const { keyword } = criterion;
  return [
    segments.date,
    adGroup.id,
    criterion.criterion_id,
    campaign.id,
    campaign.name,
    campaign.advertising_channel_type,
    adGroup.name,
    adGroup.status,
    criterion.status,
    keyword.text,
    keyword.match_type,
    metrics.impressions,
    metrics.clicks,
    metrics.cost_micros,
  ];
}

/** The same of a row as the service wrote it. */
function valuesOfRaw({ campaign, adGroup, adGroupCriterion, metrics, segments }: ResponseRow): Value[] {
  const { keyword } = adGroupCriterion;
  return [
    segments.date,
    adGroup.id,
    adGroupCriterion.criterionId,
    campaign.id,
    campaign.name,
    campaign.advertisingChannelType,
    adGroup.name,
    adGroup.status,
    adGroupCriterion.status,
    keyword.text,
    keyword.matchType,
    metrics.impressions,
    metrics.clicks,
    metrics.costMicros,
  ];
}

const PEER_UPSERT = `INSERT INTO keyword_stats VALUES (${Array(15).fill('?')})
  ON CONFLICT DO UPDATE SET campaign_id = excluded.campaign_id, campaign_name = excluded.campaign_name,
    channel_type = excluded.channel_type, ad_group_name = excluded.ad_group_name,
    ad_group_status = excluded.ad_group_status, criterion_status = excluded.criterion_status,
    keyword = excluded.keyword, match_type = excluded.match_type, impressions = excluded.impressions,
    clicks = excluded.clicks, cost_micros = excluded.cost_micros`;

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
    for await (const row of connect(true).queryStream<ResponseRow>(text)) upsert.run(CUSTOMER, ...valuesOfRaw(row));
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

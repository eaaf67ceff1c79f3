import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A folder as a team has it: `pacekeeper.yaml`, `queries` with files, `rules` without any. */
interface QueryFolder {
  readonly folder: string;
  readonly queries: string;
  readonly bytes: number;
}

/** What the files select from, with attributes that may be asked for there. */
const RESOURCES = {
  campaign: ['campaign.advertising_channel_type', 'campaign.bidding_strategy_type', 'campaign_budget.amount_micros'],
  ad_group: ['ad_group.id', 'ad_group.name', 'ad_group.status', 'ad_group.cpc_bid_micros'],
  keyword_view: [
    'ad_group.id',
    'ad_group.name',
    'ad_group_criterion.criterion_id',
    'ad_group_criterion.status',
    'ad_group_criterion.keyword.text',
    'ad_group_criterion.keyword.match_type',
  ],
  search_term_view: ['ad_group.id', 'ad_group.name', 'search_term_view.resource_name', 'search_term_view.search_term'],
  ad_group_ad: ['ad_group.id', 'ad_group.name', 'ad_group_ad.ad.id', 'ad_group_ad.status'],
} satisfies Readonly<Record<string, readonly string[]>>;

const METRICS = [
  'clicks',
  'cost_micros',
  'conversions',
  'conversions_value',
  'all_conversions',
  'ctr',
  'average_cpc',
  'average_cpm',
  'average_cost',
  'cost_per_conversion',
  'value_per_conversion',
  'engagements',
  'interactions',
  'interaction_rate',
  'all_conversions_value',
  'cross_device_conversions',
  'top_impression_percentage',
];

const DAYS = [
  'DURING LAST_30_DAYS',
  'DURING LAST_7_DAYS',
  "BETWEEN '2026-10-01' AND '2026-10-31'",
  'BETWEEN :today-14 AND :yesterday',
  'BETWEEN :month_start AND :yesterday',
];

/** Writes the folder; always the same files, no two of them alike, all without an error. */
export function writeQueryFolder(folder: string, files: number): QueryFolder {
  const queries = join(folder, 'queries');
  for (const made of [queries, join(folder, 'rules')]) mkdirSync(made, { recursive: true });
  writeFileSync(join(folder, 'pacekeeper.yaml'), 'params:\n  status: ENABLED\n  lowest_spend: 1000000\n');
  let bytes = 0;
  for (let number = 0; number < files; number += 1) {
    const text = queryText(number);
    bytes += Buffer.byteLength(text);
    writeFileSync(join(queries, `report_${String(number).padStart(4, '0')}.sql`), text);
  }
  return { folder, queries, bytes };
}

/** About fifteen fields, and in turn comments, parameters, lists and an order. */
function queryText(number: number): string {
  const resources = Object.entries(RESOURCES);
  const [resource, attributes] = resources[number % resources.length] ?? ['campaign', []];
  const metrics = Array.from({ length: 11 - attributes.length }, (_, place) => {
    return `metrics.${METRICS[(number + place * 5) % METRICS.length]}`;
  });
  const fields = [
    'campaign.id',
    'campaign.name',
    'campaign.status',
    ...attributes,
    'metrics.impressions',
    ...metrics,
    'segments.date',
  ];
  const conditions = [
    `segments.date ${DAYS[number % DAYS.length]}`,
    ...(number % 3 === 0 ? ['campaign.status = :status', 'metrics.cost_micros >= :lowest_spend'] : []),
    ...(number % 4 === 0 ? [`campaign.id IN (${campaignIds(number, 5 + (number % 40)).join(', ')})`] : []),
    ...(number % 5 === 0 ? [`campaign.name NOT LIKE '%test ${number}%'`] : []),
    `metrics.impressions > ${number}`,
  ];
  return [
    `-- Report ${number}: ${resource}, one row per day.`,
    ...(number % 2 === 0 ? ['-- Asked for by the team that plans the budgets.', ''] : []),
    'SELECT',
    `  ${fields.join(number % 6 === 0 ? ', -- checked by hand\n  ' : ',\n  ')}`,
    `FROM ${resource}`,
    `WHERE ${conditions.join('\n  AND ')}`,
    ...(number % 7 === 0 ? ['ORDER BY segments.date DESC, metrics.impressions DESC'] : []),
    ...(number % 35 === 0 ? [`LIMIT ${1_000 + number}`] : []),
    '',
  ].join('\n');
}

/** Ten digits each. */
function campaignIds(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, place) => String(1_000_000_000 + first * 7_919 + place * 104_729));
}

/** The table that all peers fill. */
export const PEER_TABLE = `CREATE TABLE keyword_stats (
  customer_id INTEGER NOT NULL, date TEXT NOT NULL, ad_group_id INTEGER NOT NULL, criterion_id INTEGER NOT NULL,
  campaign_id INTEGER, campaign_name TEXT, channel_type TEXT, ad_group_name TEXT, ad_group_status TEXT,
  criterion_status TEXT, keyword TEXT, match_type TEXT, impressions INTEGER, clicks INTEGER, cost_micros INTEGER,
  PRIMARY KEY (customer_id, date, ad_group_id, criterion_id))`;

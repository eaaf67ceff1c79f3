/** What the children of the page's part are told. */
export interface PageJob {
  /** A folder of its own, with `state.sqlite` and `warehouse.sqlite` once it is filled. */
  readonly folder: string;
  readonly campaigns: number;
  /** Rows of each campaign on each day. */
  readonly keywords: number;
}

/** A year of settled days. */
export const PAGE_DAYS = 365;

/** What a page's child prints beside its time and memory. */
export interface PageMeasurement {
  readonly seconds: number;
  readonly peakMiB: number;
  readonly pageKiB: number;
}

/** The sums that nobody who wants the page's numbers can do without. */
export const BARE_PAGE_SUMS = `SELECT campaign_id, sum(clicks), sum(impressions), sum(cost_micros)
  FROM keyword_stats_by_day GROUP BY campaign_id`;

import type { Measurement } from '../measurement.ts';

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

export interface PageMeasurement extends Measurement {
  readonly pageKiB: number;
}

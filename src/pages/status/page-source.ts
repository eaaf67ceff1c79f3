/** Whether `pacekeeper schedule` is at work: `none` where it never was, `stopped` where its lease is over. */
export type ScheduleHealth = 'running' | 'stopped' | 'none' | 'unknown';

export interface PageRequest {
  /** From the slash, without the query: `/runs/7`. */
  readonly path: string;
  /** Without the question mark; whatever was sent. */
  readonly query: string;
}

export interface RenderedPage {
  readonly status: number;
  readonly html: string;
}

/** One number of `/metrics` that the databases know, with the values that it has by its labels. */
export interface Measure {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

/** Makes pages of what the databases hold, somewhere else: nobody who sends a webhook waits for one. */
export interface PageSource {
  /** Rejects when it takes too long or too many wait. */
  render(request: PageRequest): Promise<RenderedPage>;
  measure(): Promise<readonly Measure[]>;
  schedule(): Promise<ScheduleHealth>;
  close(): Promise<void>;
}

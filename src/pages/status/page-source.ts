import type { CustomerId } from '../../domain/ids.ts';
import type { Role } from '../../domain/role.ts';
import type { RunProgress } from '../../store/runs/run-progress.ts';
import type { AskedAct } from '../inbox/acts.ts';

/** `none`: the schedule never started. `stopped`: its lease has expired. */
export type ScheduleHealth = 'running' | 'stopped' | 'none' | 'unknown';

export interface PageRequest {
  /** Begins with a slash and has no query: `/runs/7`. */
  readonly path: string;
  /** The text after the question mark. Not validated. */
  readonly query: string;
  readonly role: Role;
  /** Proves that a form comes from this page. Undefined on pages that act on nothing, and for visitors who cannot act. */
  readonly form?: string | undefined;
}

export interface RenderedPage {
  readonly status: number;
  readonly html: string;
}

export interface CheckedAct {
  readonly seen: string;
  readonly command: readonly string[];
}

export interface Measure {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

/** Another thread makes the pages, so no webhook waits for a page. */
export interface PageSource {
  /** Rejects if the page takes too long, or if too many pages wait. */
  render(request: PageRequest): Promise<RenderedPage>;
  /** The account's month as PNG. Undefined if there is nothing to draw. Rejects like `render`. */
  picture(customer: CustomerId): Promise<Uint8Array | undefined>;
  /** What the act would do now. Undefined if there is nothing to act on. */
  effect(asked: AskedAct): Promise<CheckedAct | undefined>;
  /** The newest run. Undefined before the first run. */
  live(): Promise<RunProgress | undefined>;
  measure(): Promise<readonly Measure[]>;
  schedule(): Promise<ScheduleHealth>;
  close(): Promise<void>;
}

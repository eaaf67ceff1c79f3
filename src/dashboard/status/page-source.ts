import type { CustomerId } from '../../domain/ids.ts';
import type { Role } from '../../domain/role.ts';
import type { RunProgress } from '../../storage/records/runs/run-history.ts';
import type { KeptQuestion, SavedQuestion } from '../../storage/records/saved-question-table.ts';
import type { ExploredRows, ExploreRefusal } from '../../storage/warehouse/explored.ts';
import type { CheckedSelect } from '../agents/check-select.ts';
import type { DataStanding } from '../agents/data-standing.ts';
import type { CallNote, NotedCall } from '../agents/note-call.ts';
import type { QuestionOrder } from '../explore/keep-question.ts';
import type { ModelOrder, SavedModel } from '../explore/save-model.ts';
import type { AskedAct, Change, LineNow } from '../inbox/acts.ts';
import type { LinkOrder, LinkReading } from '../links/link-reading.ts';

/** `none` means that the schedule never started. */
export type ScheduleHealth = 'running' | 'stopped' | 'none' | 'unknown';

export interface PageRequest {
  readonly path: string;
  /** The text after the question mark. Not validated. */
  readonly query: string;
  readonly role: Role;
  /** Proves that a form comes from this page. Undefined on pages that act on nothing, and for visitors who cannot act. */
  readonly form?: string | undefined;
  /** The rows of the query that the page explores. */
  readonly explored?: ExploredRows | ExploreRefusal | undefined;
  /** The saved question that the page explores, and if the visitor may rename and delete it. */
  readonly question?: (SavedQuestion & { readonly isOwn: boolean }) | undefined;
}

/** The field of an address that asks for a back-test. Its value is the number of days. */
export const BACKTEST = 'backtest';

export interface RenderedPage {
  readonly status: number;
  readonly html: string;
  /** Sent instead of the page. */
  readonly file?: Download;
}

/** The main table of a page, with all rows of its filter. */
export interface Download {
  readonly name: string;
  readonly format: FileFormat;
  readonly content: string | Uint8Array;
}

export type FileFormat = 'csv' | 'xlsx';

export type CheckedAct = (
  | { readonly kind: 'possible'; readonly change: Change; readonly seen: string; readonly command: readonly string[] }
  | { readonly kind: 'gone'; readonly reason: string; readonly way?: AskedAct | undefined }
) & { readonly lines?: readonly LineNow[] };

export interface Measure {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

/** Another thread makes the pages, so webhooks never wait for pages. */
export interface PageSource {
  /** Rejects if the page takes too long, or if too many pages wait. */
  render(request: PageRequest): Promise<RenderedPage>;
  /** A PNG. Undefined if there is nothing to draw. */
  picture(customer: CustomerId): Promise<Uint8Array | undefined>;
  /** The result that the act would have now. Rejects like `render`. */
  effect(asked: AskedAct): Promise<CheckedAct>;
  saveModel(order: ModelOrder): Promise<SavedModel>;
  question(id: string): Promise<SavedQuestion | undefined>;
  readLink(order: LinkOrder): Promise<LinkReading>;
  keepQuestion(order: QuestionOrder): Promise<KeptQuestion>;
  /** How old and how complete the figures are that an agent gets. */
  dataStanding(): Promise<DataStanding>;
  checkSelect(sql: string): Promise<CheckedSelect>;
  /** Rejects if the call cannot be recorded. */
  noteCall(note: CallNote): Promise<NotedCall>;
  /** The newest run. Undefined before the first run. */
  live(): Promise<RunProgress | undefined>;
  measure(): Promise<readonly Measure[]>;
  schedule(): Promise<ScheduleHealth>;
  close(): Promise<void>;
}

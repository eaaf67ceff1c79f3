import { type Diagnostic, spanAt } from '../../domain/diagnostic.ts';
import { type CheckContext, type CheckedQuery, checkQuery } from './check/check-query.ts';
import { reportTo } from './report.ts';
import { parseQuery } from './syntax/parse-query.ts';

/** `queries/keyword_stats.sql` fills the table `keyword_stats`. */
export interface QueryFile extends CheckedQuery {
  readonly name: string;
  readonly description: string;
}

export const RESERVED_TABLE_NAMES: readonly string[] = [
  'account account_day day_reading run run_account as_of data_dictionary',
  'budget_change budget_intent budget_event budget_proposal budget_reading foreign_change suspected_change',
  'decision run_decision run_pacing decision_by_run decision_by_day decision_by_time',
  'dim_campaign dim_ad_group dim_keyword dim_calendar v_campaign_day',
  'target target_day run_pacing_day query_table slice loaded_piece unpublished_day publication',
  'alert outbox message silence reply report_mail alert_tells alert_by_state alert_tells_by_condition',
  'budget_event_by_intent budget_event_by_kind data_test data_test_by_name saved_question saved_question_by_name',
  'read_link read_link_by_sha256 agent_call agent_call_by_agent budget_proposal_by_key',
  'budget_intent_by_day budget_intent_by_state budget_intent_once_a_day budget_proposal_one_open',
  'foreign_change_by_day message_by_provider_id message_by_state',
  'outbox_by_message outbox_by_state outbox_once_per_recipient slice_by_query slice_by_run',
].flatMap((names) => names.split(' '));

/** Reserved for SQLite, the library kysely, indexes and views. */
const RESERVED_SHAPE = /^(sqlite_|kysely_|ix_|pragma_)|^sqlite$|_by_(day|week|month)$/;

export interface QueryFileCheck {
  readonly query: QueryFile | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** In bytes for a file, in characters for a text. */
export const SOURCE_SIZE_MAX = 4 * 1024 * 1024;

export function checkQueryFile(name: string, source: string, context: CheckContext): QueryFileCheck {
  const refusal = unreadable(source);
  if (refusal !== undefined) return { query: undefined, diagnostics: [unreadableFile(refusal)] };
  const parsed = parseQuery(source);
  const complete = parsed.diagnostics.every(({ severity }) => severity !== 'error');
  const checked = checkQuery(parsed.tree, context, complete);
  const diagnostics = [...parsed.diagnostics, ...checked.diagnostics, ...checkTableName(name, source)];
  diagnostics.sort((a, b) => a.span.start.offset - b.span.start.offset);
  const usable = checked.query && diagnostics.every(({ severity }) => severity !== 'error');
  const query = usable && checked.query ? { ...checked.query, name, description: parsed.leadingComment } : undefined;
  return { query, diagnostics };
}

export function unreadableFile(message: string): Diagnostic {
  return { code: 'UNREADABLE_FILE', severity: 'error', span: spanAt('', 0, 0), message };
}

function unreadable(source: string): string | undefined {
  if (source.includes('\u0000')) return 'The file is not text: it contains NUL bytes.';
  if (source.length > SOURCE_SIZE_MAX)
    return `The file has ${source.length} characters, expected at most ${SOURCE_SIZE_MAX}.`;
  return undefined;
}

export function checkTableName(name: string, source: string): Diagnostic[] {
  const found: Diagnostic[] = [];
  const refuse = (message: string, hint: string) =>
    reportTo(found)({ code: 'BAD_TABLE_NAME', span: spanAt(source, 0, 0), message, hint });
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) {
    refuse(
      `The file name "${name}" is not a valid table name.`,
      'Use lower-case letters, digits and underscores, starting with a letter: keyword_stats.sql.',
    );
  } else if (RESERVED_TABLE_NAMES.includes(name) || RESERVED_SHAPE.test(name)) {
    refuse(`The table name "${name}" is reserved.`, 'Rename the query file: the program or SQLite uses this name.');
  }
  return found;
}

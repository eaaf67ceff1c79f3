/**
 * The columns of each listing as CSV and NDJSON, in order: names are stable, a new one comes at the end, and
 * docs/output.md says what each holds. `row` says which part of a listing of several parts a row belongs to.
 */
export const LISTING_COLUMNS = {
  accounts: ['customer_id', 'name', 'currency', 'time_zone', 'manager', 'status', 'through', 'excluded', 'failure'],
  'alerts list': [
    ...['row', 'id', 'key', 'kind', 'state', 'severity', 'rule', 'customer_id', 'channel', 'recipient', 'text', 'why'],
    ...['reason', 'attempts', 'counted', 'created_by', 'created_at', 'updated_at', 'accepted_at', 'expires_at'],
    ...['ended_by', 'ended_at'],
  ],
  'config show': ['key', 'value', 'from', 'instead'],
  doctor: ['part', 'check', 'state', 'found', 'expected', 'next_step'],
  'graph page-tokens': ['id', 'name', 'category', 'tasks', 'token'],
  'graph permissions': ['permission', 'status'],
  'graph phone-numbers': ['id', 'display_phone_number', 'verified_name', 'quality_rating'],
  /** The amounts of an answer that has others follow these. */
  ideas: [
    ...['text', 'avg_monthly_searches', 'competition', 'currency', 'low_top_of_page_bid_micros'],
    ...['high_top_of_page_bid_micros'],
  ],
  'sandbox inbox': [
    ...['time', 'channel', 'id', 'from', 'to', 'text', 'status', 'error_code', 'media_url', 'media_attached'],
    ...['reference'],
  ],
  /** The runs alone. */
  status: [
    ...['id', 'command', 'dry_run', 'state', 'started_at', 'ended_at', 'accounts', 'rows_read', 'budget_changes'],
    ...['messages_sent', 'error'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A command line that lists, without the program's name. */
export type ListingName = keyof typeof LISTING_COLUMNS;

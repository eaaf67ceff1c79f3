/**
 * SQL: an instant of the state file, `2026-11-20T08:15:00Z`, as the published file has it, `2026-11-20 08:15:00.000`. SQLAlchemy,
 * RSQLite and JDBC read no other text in a DATETIME column.
 */
export function publishedInstant(expression: string): string {
  return `strftime('%Y-%m-%d %H:%M:%f', ${expression})`;
}

/** SQL: the published instant as it stands everywhere else, `2026-11-20T08:15:00Z`. */
export function instantOutside(column: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%SZ', ${column})`;
}

/** Keys whose values may be shown in a message about the configuration. */
const HARMLESS = new Set([
  ...['target', 'automation', 'mode', 'ads', 'messages', 'sandbox', 'accounts', 'budgets', 'retry'],
  ...['version', 'catalogue', 'login_customer_id', 'customer_ids', 'stream_path'],
  ...['attempts', 'first_delay_ms', 'total_ms', 'seed', 'strict', 'market', 'port', 'data_dir'],
  ...['currency', 'time_zone', 'amount', 'campaigns'],
]);

/**
 * The text of a configuration file as a message may show it: of the same length, line by line and character by
 * character, with every value hidden that is not known to be harmless. A misspelt key must not give away the secret
 * behind it, so it is the known keys that are shown and not the known secrets that are hidden.
 */
export function hideValues(source: string): string {
  return source
    .split('\n')
    .map((line) => {
      // A line without a key goes on with the value of a line before it.
      if (!/:(\s|$)/.test(line)) return /^\s*(#|-?\s*[\d\s,-]*[\]}]*\s*$)/.test(line) ? line : hide(line);
      return line.replace(
        /([\w-]+)(["']?\s*:\s+)([^,}\s][^,}]*)/g,
        (whole, key: string, colon: string, value: string) =>
          HARMLESS.has(key) || /^\d+$/.test(key) || /^[{#]/.test(value) ? whole : `${key}${colon}${hide(value)}`,
      );
    })
    .join('\n');
}

const hide = (text: string): string => text.replace(/\S/g, '•');

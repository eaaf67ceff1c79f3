/**
 * Whether NO_PROXY names the address: a name stands for itself and every name below it, a leading dot or `*.` says the
 * same, `:port` narrows it, and `*` is everything. Names are compared, addresses are not resolved.
 */
export function isBypassed({ protocol, hostname, port }: URL, bypass: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const at = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return bypass
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const { host, wanted } = splitEntry(entry);
      return (wanted === undefined || wanted === at) && (name === host || name.endsWith(`.${host}`));
    });
}

/** An address of the sixth version has colons of its own: only in brackets it can have a port. */
function splitEntry(entry: string): { readonly host: string; readonly wanted: string | undefined } {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry);
  const host = match?.[1] ?? match?.[2] ?? entry;
  return { host: host.toLowerCase().replace(/^\*?\./, ''), wanted: match?.[3] };
}

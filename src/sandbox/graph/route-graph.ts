/** An operation of area A, with the object it is asked of. */
export type GraphRoute =
  | {
      readonly kind: 'graph_send' | 'graph_phone_numbers' | 'graph_accounts' | 'graph_permissions' | 'graph_revoke';
      readonly id: string;
    }
  /** The path is one of the interface's, the method is not for it. */
  | { readonly kind: 'graph_unsupported'; readonly id: string }
  | { readonly kind: 'graph_unknown' };

const EDGES = {
  messages: { POST: 'graph_send' },
  phone_numbers: { GET: 'graph_phone_numbers' },
  accounts: { GET: 'graph_accounts' },
  permissions: { GET: 'graph_permissions', DELETE: 'graph_revoke' },
} as const;

/** Section 9 has v3.3 to v15.0; none begins at 0, and none has a digit too many. */
const VERSION = /^v[1-9]\d?\.(0|[1-9]\d?)$/;

/**
 * The operation that a decoded path names; undefined when it is not area A's. Area B's paths are told apart by their
 * `customers`, whatever version stands before them.
 */
export function routeGraph(method: string, path: string): GraphRoute | undefined {
  const [, first = '', id = '', edge = '', ...more] = path.split('/');
  if (id.startsWith('customers')) return undefined;
  const methods = Object.entries(EDGES).find(([name]) => name === edge)?.[1];
  if (!VERSION.test(first)) {
    // Without a version, or with one of another form, nothing of this interface has a place.
    const meant = methods !== undefined || (Object.hasOwn(EDGES, id) && edge === '');
    return meant ? { kind: 'graph_unknown' } : undefined;
  }
  if (methods === undefined || id === '' || more.length > 0) return { kind: 'graph_unknown' };
  const kind = Object.entries(methods).find(([name]) => name === method)?.[1];
  return { kind: kind ?? 'graph_unsupported', id };
}

import { InputError } from '../domain/errors.ts';
import type { CustomerId } from '../domain/ids.ts';
import type { Tree } from './read-trees.ts';

interface Found {
  readonly ways: ReadonlySet<CustomerId>;
  readonly failed: readonly { readonly customerId: CustomerId }[];
  readonly trees: readonly Tree[];
  readonly excluded: ReadonlySet<CustomerId>;
}

const NAMES_MAX = 20;

/** Throws `InputError` for accounts that were named and cannot be worked on, with the reason of each. */
export function refuseAbsent(only: readonly CustomerId[], { ways, failed, trees, excluded }: Found): void {
  const failedIds = new Set(failed.map(({ customerId }) => customerId));
  const absent = only.filter((id) => excluded.has(id) || !(ways.has(id) || failedIds.has(id)));
  if (absent.length === 0) return;
  const managers = new Set(
    trees.flatMap((tree) => (tree.kind === 'read' ? tree.clients.filter(({ manager }) => manager) : [])).map(idOf),
  );
  const reasons = absent.map((id) => {
    if (excluded.has(id)) return `Account ${id} is excluded by ads.exclude_customer_ids.`;
    if (managers.has(id)) return `${id} is a manager, which has no statistics of its own: name accounts below it.`;
    return `There is no account ${id} among the accessible ones: ${listOf([...ways])}.`;
  });
  throw new InputError(reasons.join('\n'), { nextStep: 'Name an accessible account with --customer.' });
}

function listOf(ids: readonly CustomerId[]): string {
  if (ids.length === 0) return 'none';
  const more = ids.length > NAMES_MAX ? ` and ${ids.length - NAMES_MAX} more` : '';
  return `${ids.slice(0, NAMES_MAX).join(', ')}${more}`;
}

const idOf = ({ customerId }: { readonly customerId: CustomerId }) => customerId;

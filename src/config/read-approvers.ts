import { maskRecipient } from '../domain/mask-recipient.ts';
import { isPhoneNumber, numberOf } from '../domain/messaging-address.ts';
import type { AlertApprover, AlertRecipient } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';

const EXAMPLE = 'such as +4915112345678';

/**
 * Whose answers decide, each known by the name that it has here, or that its number has among the recipients. What is no number,
 * or would be the same person in the audit trail as another, goes to `problems`, which name no whole number.
 */
export function readApprovers(
  given: SettingsFile['alerts']['approvers'],
  recipients: readonly AlertRecipient[],
  problems: string[],
): readonly AlertApprover[] {
  const approvers = new Map<string, AlertApprover>();
  for (const [key, text] of Object.entries(given ?? {})) {
    const number = numberOf(text) ?? '';
    const at = Array.isArray(given) ? `alerts.approvers[${key}]` : `alerts.approvers.${key}`;
    if (!isPhoneNumber(number)) {
      problems.push(`${at} is not a number ${EXAMPLE}.`);
      continue;
    }
    const before = approvers.get(number);
    const name = Array.isArray(given) ? nameOf(number, recipients) : key;
    if (before !== undefined && before.name !== name) {
      problems.push(`${at} is the number of ${before.name}, expected one of its own for each name.`);
    }
    approvers.set(number, { number, name });
  }
  const all = [...approvers.values()];
  refuseLookalikes(all, problems);
  return all;
}

/** Nobody could say afterwards which of the two has approved. */
function refuseLookalikes(approvers: readonly AlertApprover[], problems: string[]): void {
  const masks = approvers.flatMap(({ number, name }) => (name === undefined ? [maskRecipient(number)] : []));
  for (const mask of new Set(masks.filter((mask, index) => masks.indexOf(mask) !== index))) {
    problems.push(
      `alerts.approvers has several numbers that are shown as ${mask}, expected a name for each, as in { anna: "+49…", ben: "+49…" }.`,
    );
  }
}

function nameOf(number: string, recipients: readonly AlertRecipient[]): string | undefined {
  return recipients.find(({ addresses }) => [...addresses.values()].some((address) => numberOf(address) === number))
    ?.name;
}

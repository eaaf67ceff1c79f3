import type { SandboxCredentials } from '../credentials.ts';
import { digitsOf } from '../phones.ts';

/** A record of 2.2. */
export interface PhoneNumberRecord {
  readonly id: string;
  readonly verified_name: string;
  readonly display_phone_number: string;
  readonly quality_rating: string;
}

/** The business account's numbers: the one that messages are sent from, and one that was never used. */
export function phoneNumbers({ graph, messages }: SandboxCredentials): readonly PhoneNumberRecord[] {
  const display = digitsOf(messages.from).replace(/^1(\d{3})(\d{3})(\d{4})$/, '+1 $1-$2-$3');
  return [
    {
      ...{ id: graph.phoneNumberId, verified_name: 'Pacekeeper Sandbox' },
      ...{ display_phone_number: display, quality_rating: 'GREEN' },
    },
    {
      ...{ id: '106540352242930', verified_name: 'Pacekeeper Sandbox Spare' },
      ...{ display_phone_number: '+1 555-010-0009', quality_rating: 'NA' },
    },
  ];
}

/** The names of 2.3. */
export const PERMISSIONS = ['pages_show_list', 'pages_read_engagement', 'pages_read_user_content', 'public_profile'];

export const PAGES = ['Bergfreund Outdoor', 'Bergfreund Verleih', 'Stride Running'].map((name, index) => ({
  ...{ id: `20531316728000${index + 1}`, name, category: 'Shopping & retail' },
  ...{ access_token: `sandbox-page-token-${index + 1}`, tasks: ['ANALYZE', 'MESSAGING', 'MANAGE'] },
}));

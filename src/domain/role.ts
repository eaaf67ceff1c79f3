/** The roles of tokens. `agent` opens the door of agents, and no page. */
export const ROLES = ['viewer', 'approver', 'admin', 'agent'] as const;

export type Role = (typeof ROLES)[number];

export const RIGHTS = [
  'look',
  'approve',
  'reject',
  'undo',
  'freeze',
  'unfreeze',
  'silence',
  'acknowledge',
  'save_question',
  'save_model',
  'share_link',
  'call_tools',
] as const;

export type Right = (typeof RIGHTS)[number];

/** Each right is named, so that a later role or act inherits none. */
const GRANTED: Readonly<Record<Role, readonly Right[]>> = {
  viewer: ['look'],
  approver: ['look', 'approve', 'reject', 'undo', 'freeze', 'unfreeze', 'silence', 'acknowledge', 'save_question'],
  admin: [
    'look',
    'approve',
    'reject',
    'undo',
    'freeze',
    'unfreeze',
    'silence',
    'acknowledge',
    'save_question',
    'save_model',
    'share_link',
  ],
  agent: ['call_tools'],
};

/** False for a role that only a later version knows. Its tokens can be in the database. */
export function may(role: string, right: Right): boolean {
  return Object.hasOwn(GRANTED, role) && GRANTED[role as Role].includes(right);
}

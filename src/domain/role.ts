/** The rights of a token for the dashboard. Each role includes the ones before it. */
export const ROLES = ['viewer', 'approver', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** True if the person may decide on budgets and silence alerts. */
export function mayAct(role: Role): boolean {
  return role !== 'viewer';
}

import type { ShownProposal } from '../../report/render-budgets.ts';
import type { Html } from '../html.ts';
import { type Badge, badge } from './parts.ts';

const STATES = {
  open: ['waits', 'waits'],
  approved: ['approved', 'good'],
  rejected: ['rejected', 'bad'],
  expired: ['expired', 'plain'],
  superseded: ['superseded', 'plain'],
} as const satisfies Readonly<Record<ShownProposal['state'], Badge>>;

export function proposalState({ state }: Pick<ShownProposal, 'state'>): Html {
  return badge(STATES[state]);
}

import type { ShownChange } from '../../report/render-budgets.ts';
import type { Html } from '../html.ts';
import { type Badge, badge } from './parts.ts';

const STATES = {
  planned: ['planned', 'waits'],
  validated: ['planned', 'waits'],
  sending: ['being sent', 'waits'],
  applied: ['changed', 'good'],
  confirmed: ['confirmed', 'good'],
  rejected: ['rejected', 'bad'],
  unknown: ['not known', 'bad'],
  superseded: ['given up', 'plain'],
  expired: ['not sent', 'plain'],
} as const satisfies Readonly<Record<ShownChange['state'], Badge>>;

/** What became of a change, in the words of `pacekeeper budgets history`. */
export function changeState({ state }: Pick<ShownChange, 'state'>): Html {
  return badge(STATES[state]);
}

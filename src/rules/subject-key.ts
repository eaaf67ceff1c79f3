import { unreachable } from '../domain/errors.ts';
import type { Subject } from './decision.ts';

/** Which of an account's subjects it is, whatever it is called: `campaign/21`, `account`, `keyword/5/6`. */
export function subjectKey(
  subject: Pick<Subject, 'kind' | 'campaignId' | 'budgetId' | 'adGroupId' | 'criterionId'>,
): string {
  const { kind } = subject;
  switch (kind) {
    case 'campaign':
      return `campaign/${subject.campaignId}`;
    case 'budget':
      return `budget/${subject.budgetId}`;
    case 'account':
      return 'account';
    case 'ad_group':
      return `ad_group/${subject.adGroupId}`;
    case 'keyword':
      return `keyword/${subject.adGroupId}/${subject.criterionId}`;
    default:
      return unreachable(kind);
  }
}

import type { SettingSection } from './setting.ts';

export const WHICH_SERVICE: SettingSection = {
  title: 'Which service',
  areas: [],
  before: [],
  settings: [
    {
      path: 'target',
      env: ['PACEKEEPER_TARGET'],
      default: '`sandbox`',
      value: 'shown',
      meaning:
        '`sandbox`: embedded, nothing leaves this machine. `live`: the services below. Live settings beside the sandbox are not used, and the report says so.',
    },
    {
      env: ['PACEKEEPER_NOW'],
      default: "the machine's time",
      value: 'shown',
      meaning:
        'An instant at which the clock starts and runs on from there, for reproducible runs: `2026-03-01T12:00:00Z`',
    },
    {
      path: 'automation.mode',
      default: '`apply` on the sandbox, `propose` live',
      value: 'shown',
      meaning: "How far any rule may go: `propose`, `approve`, `apply`. A rule's own `mode` can only be narrower.",
    },
    {
      path: 'automation.changes_per_run',
      default: '100',
      value: 'shown',
      meaning: 'The most budgets that one run may change or ask a person to approve, decreases first; 0 for none',
    },
    {
      path: 'automation.approval_hours',
      default: '24',
      value: 'shown',
      meaning:
        "How long a change of mode `approve` awaits approval before it expires; a report of the account's next day ends it, too, and decides by that day's numbers",
    },
    {
      path: 'automation.read_lag_minutes',
      default: '60',
      value: 'shown',
      meaning:
        "How long the service may go on showing the old amount of a changed budget. Another amount than pacekeeper set counts as somebody else's change when a second reading, so much later, shows it again. 0: readings are never old",
    },
  ],
};

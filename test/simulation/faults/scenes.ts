import type { Random } from './random.ts';
import { canBefall, FAULTS, FAULTS_OF_CHANGES, type FaultKind, LIES } from './services/network-faults.ts';
import { SLOW_RULE } from './services/rule-sheets.ts';
import type { JobName, Start, StoryStep } from './story.ts';
import type { Kill, Mishap } from './virtual-process.ts';

/** What leads to a place, and what the story must be like for it. */
export interface Scene {
  readonly steps: readonly StoryStep[];
  /** The published file has to be written. */
  readonly publishes?: true;
  /** Rules have to act by themselves. */
  readonly applies?: true;
}

interface How {
  readonly kill?: Kill;
  readonly mishap?: Mishap;
}

/** One that nothing befalls but what is said. */
export function calmStart(job: JobName, { kill, mishap }: How = {}, afterMs = 0): Start {
  return { job, trouble: 0, kill, mishap, loss: undefined, stopAfterMs: undefined, afterMs };
}

const start = (job: JobName, how?: How): StoryStep => ({ kind: 'start', starts: [calmStart(job, how)] });
const wait = (minutes: number): StoryStep => ({ kind: 'wait', minutes });
const byHand = (pick: number, percent: number): StoryStep => ({ kind: 'foreign', pick, percent, inMs: 0 });

/** Ends of a process that leave a change of which nobody knows whether it was made. */
const LEAVE_OPEN = ['sending:after-commit', 'mutate:before-send', 'mutate:after-answer', 'answer:before-commit'];

/** Steps that lead to the place and end a process there, as far as the day's numbers let them. */
export function sceneAt(place: string, random: Random): Scene {
  const kill = { at: place, nth: 1 };
  const [what = ''] = place.split(':');
  switch (what) {
    case 'check': {
      const at = random.pick(LEAVE_OPEN);
      const settles = random.pick<JobName>(['report', 'reconcile']);
      return { applies: true, steps: [start('report', { kill: { at, nth: 1 } }), start(settles, { kill })] };
    }
    case 'approve':
      return { steps: [start('report'), start('approve', { kill })] };
    case 'decline':
      return { steps: [start('report'), ...declining(random, kill)] };
    case 'undo':
      return { applies: true, steps: [start('report'), start('undo', { kill })] };
    case 'look-up':
    case 'looked-up': {
      const lost = {
        kind: random.pick(['answer_lost', 'reset_after', 'status_503_after'] as const),
        on: 'message',
      } as const;
      const looks = random.pick<JobName>(['report', 'deliver']);
      return { steps: [start('report', { mishap: lost }), wait(random.pick([5, 31])), start(looks, { kill })] };
    }
    case 'escalate':
      return { steps: [start('report', { kill, mishap: { kind: 'status_400', on: 'message' } })] };
    case 'rename':
      return { publishes: true, steps: [start('report', { kill: { ...kill, nth: random.between(1, 2) } })] };
    case 'commit':
    case 'network':
      return { steps: [start('report', { kill: { ...kill, nth: random.between(1, 20) } })] };
    default:
      return { applies: true, steps: [start('report', { kill })] };
  }
}

/** The ways in which a proposal ends without a change: a no, another amount, its time. */
function declining(random: Random, kill: Kill): StoryStep[] {
  const roll = random.next();
  if (roll < 0.5) return [start('reject', { kill })];
  if (roll < 0.8) return [byHand(2, 80), byHand(3, 80), start('approve', { kill })];
  return [wait(3000), start('approve', { kill })];
}

/** Answers to a change that look like something else than they are. */
const MISLEADING: readonly FaultKind[] = [
  'html_404_after',
  'html_404_before',
  'html_200_after',
  'other_account',
  ...FAULTS_OF_CHANGES,
  ...FAULTS_OF_CHANGES,
];

/**
 * What no place leads to and drawn steps seldom come to, behind a day on which everything may have been decided: a change whose
 * answer misleads, or that the service refuses beside one that it makes; rules that somebody has just taken something from; a proposal
 * that is approved when it is too late.
 */
export function aimedSteps(random: Random): StoryStep[] {
  const before = [start('report'), wait(1500)];
  const roll = random.next();
  const misled = () => start('report', { mishap: { kind: random.pick(MISLEADING), on: 'mutate' } });
  if (roll < 0.3) return [wait(1500), misled(), wait(1500), misled()];
  if (roll < 0.45) {
    const when = random.pick(['tried', 'made', 'made'] as const);
    return [...before, { kind: 'refuse', pick: random.between(0, 1), when }, start('report')];
  }
  if (roll < 0.55) return [...before, start('undo'), start('report')];
  if (roll < 0.7) return [...before, byHand(random.between(0, 2), random.pick([90, 110])), start('report')];
  if (roll < 0.8) return [start('report'), wait(3000), start('approve')];
  return [];
}

/** A manager is excluded, and its tree cannot be read when budgets are decided, or not any more after it was read. */
export function excludingSteps(random: Random): StoryStep[] {
  const hidden = random.pick(['away', 'lost'] as const);
  const hide: StoryStep = { kind: 'tree', tree: hidden, inMs: random.pick([0, 0, 200, 1_000]) };
  const show: StoryStep = { kind: 'tree', tree: 'there', inMs: 0 };
  return [hide, start('report'), wait(1500), start('report'), show, start('report')];
}

/** On some days, a message beside the phones goes wrong. Who sends it is killed behind that, or is asked to stop meanwhile. */
export function besideSteps(random: Random, on: 'mail' | 'post'): StoryStep[] {
  const kinds = FAULTS.filter((kind) => canBefall(kind, on));
  return Array.from({ length: random.between(1, 3) }, (): StoryStep[] => {
    const mishap = { kind: random.pick(kinds), on };
    const at = random.pick(['send:after-answer', 'outcome:after-commit', 'looked-up:after-commit']);
    const begun = calmStart(
      'report',
      random.chance(0.25) ? { mishap, kill: { at, nth: random.between(1, 3) } } : { mishap },
    );
    const stopAfterMs = random.chance(0.25) ? random.pick([5_000, 20_000]) : undefined;
    return [wait(1500), { kind: 'start', starts: [{ ...begun, stopAfterMs }] }];
  }).flat();
}

/** Everything that limits a change is over, and one rule with a long cooldown takes over. */
const SLOWLY: readonly StoryStep[] = [wait(4500), { kind: 'rules', names: [SLOW_RULE.name] }];

/** A service that makes changes and says that it refuses them, on some days and for all who ask. */
export function lyingSteps(random: Random, drawn: (random: Random, job: JobName) => Start): StoryStep[] {
  const lies = random.chance(0.75) ? [random.pick(LIES)] : LIES;
  const steps: StoryStep[] = [...SLOWLY, { kind: 'lies', lies }];
  for (const minutes of [random.pick([0, 5, 31, 300]), random.pick([5, 1500]), random.pick([300, 1500])]) {
    steps.push(random.chance(0.7) ? start('report') : { kind: 'start', starts: [drawn(random, 'report')] });
    if (random.chance(0.3)) steps.push(start('approve'));
    steps.push(wait(minutes));
  }
  return steps;
}

/** Persons change budgets, also such as the program has never changed, on the days before a rule would. */
export function personsSteps(random: Random, drawn: (random: Random, job: JobName) => Start): StoryStep[] {
  const steps: StoryStep[] = [wait(1500), { kind: 'rules', names: ['busy'] }, start('report')];
  if (random.chance(0.5)) steps.push(wait(1500), start('report'));
  for (let left = random.between(1, 2); left > 0; left--) steps.push(byAnyone(random), wait(random.pick([5, 300])));
  steps.push(wait(random.pick([5, 1500])), { kind: 'rules', names: [SLOW_RULE.name] });
  const report = random.chance(0.7) ? start('report') : ({ kind: 'start', starts: [drawn(random, 'report')] } as const);
  return [...steps, report, wait(random.pick([300, 1500])), start('report')];
}

/** Ends of a process between two changes of a plan, or within one. */
const WITHIN_PLAN: readonly string[] = [
  'approve:before-commit',
  'approve:after-commit',
  'validated:after-commit',
  'sending:after-commit',
  'mutate:after-answer',
  'answer:before-commit',
  'answer:after-commit',
];

/** Killed between a decrease of a reallocation and the increase that it pays for, or within one. */
function reallocating(random: Random, drawn: (random: Random, job: JobName) => Start): StoryStep {
  if (random.chance(0.3)) return { kind: 'start', starts: [drawn(random, 'report')] };
  if (random.chance(0.5)) return start('report', { mishap: { kind: random.pick(MISLEADING), on: 'mutate' } });
  return start('report', { kill: { at: random.pick(WITHIN_PLAN.slice(2)), nth: random.between(1, 2) } });
}

/** A person approves whole plans of a target, also while another one changes its budgets. */
export function planSteps(
  random: Random,
  drawn: (random: Random, job: JobName) => Start,
  reallocates: boolean,
): StoryStep[] {
  const kill = { at: random.pick(WITHIN_PLAN), nth: random.between(1, 3) };
  const first = random.chance(0.6)
    ? start('approve', { kill })
    : { kind: 'start' as const, starts: [drawn(random, 'approve')] };
  const other = () => (random.chance(0.6) ? [byHand(random.between(0, 3), random.pick([80, 150, 200])), wait(1)] : []);
  const again = [wait(random.pick([5, 70])), start('report'), start('approve')];
  const before = [wait(4500), start('report'), wait(1500)];
  const report = reallocates ? reallocating(random, drawn) : start('report');
  const plan: StoryStep = { kind: 'plan', reallocates };
  return [...before, plan, report, ...other(), first, ...other(), ...again, wait(1500), ...again];
}

/** Mostly one that rules seldom change. */
const byAnyone = (random: Random): StoryStep =>
  byHand(random.pick([0, 1, 2, 2, 3, 3]), random.pick([50, 80, 90, 120, 200]));

/** A person has changed a budget before the program is used for the first time. */
export function changedBefore(random: Random): StoryStep[] {
  return [
    byHand(random.between(0, 3), random.pick([50, 80, 120])),
    wait(random.pick([5, 1500])),
    { kind: 'rules', names: [SLOW_RULE.name] },
    start('report'),
    wait(1500),
    { kind: 'rules', names: undefined },
  ];
}

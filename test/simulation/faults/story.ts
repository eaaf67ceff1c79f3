import { DELIVERY_POINTS } from '../../../src/alerts/delivery-pass.ts';
import { CRASH_POINTS } from '../../../src/engine/budgets/budget-deps.ts';
import type { Loss } from './boundaries.ts';
import { Random } from './random.ts';
import {
  aimedSteps,
  besideSteps,
  calmStart,
  changedBefore,
  excludingSteps,
  lyingSteps,
  personsSteps,
  planSteps,
  sceneAt,
} from './scenes.ts';
import type { FaultKind } from './services/network-faults.ts';
import type { Hang, Kill, Mishap } from './virtual-process.ts';

/** Where a process of a story can be ended. */
export const KILL_POINTS: readonly string[] = [
  ...CRASH_POINTS,
  ...DELIVERY_POINTS,
  ...['commit', 'rename'].flatMap((what) => [`${what}:before`, `${what}:after`]),
  ...['send', 'arrival', 'answer'].map((what) => `network:${what}`),
];

export type JobName =
  | 'report'
  | 'extract'
  | 'reconcile'
  | 'deliver'
  | 'approve'
  | 'reject'
  | 'undo'
  | 'freeze'
  | 'unfreeze';

/** A process that is started, and may come to harm. */
export interface Beginning {
  /** With how many of its requests something goes wrong. */
  readonly trouble: number;
  readonly kill: Kill | undefined;
  /** What surely goes wrong with one of its requests. */
  readonly mishap: Mishap | undefined;
  /** A connection to the database that it loses; files cannot be lost so. */
  readonly loss: Loss | undefined;
  /** It is asked to stop so long after it began, milliseconds. */
  readonly stopAfterMs: number | undefined;
  /** After those that are started in the same step, milliseconds. */
  readonly afterMs: number;
  /** Its clock is so far ahead of everybody's, milliseconds. */
  readonly aheadMs?: number;
}

export interface Start extends Beginning {
  readonly job: JobName;
}

/** Shares the work of runs; on files there are none. */
export interface WorkerStart extends Beginning {
  /** It stands still so often and so long, milliseconds. */
  readonly hang: Hang | undefined;
}

export type StoryStep =
  | { readonly kind: 'start'; readonly starts: readonly Start[]; readonly workers?: readonly WorkerStart[] }
  | { readonly kind: 'foreign'; readonly pick: number; readonly percent: number; readonly inMs: number }
  /** Somebody puts the file that freezes into the folder, or takes it away. */
  | { readonly kind: 'file'; readonly there: boolean; readonly inMs: number }
  /** The service suspends an account, or lets it back. */
  | { readonly kind: 'suspend'; readonly account: number; readonly suspended: boolean; readonly inMs: number }
  /** What comes of asking for the tree of the excluded manager from then on. */
  | { readonly kind: 'tree'; readonly tree: 'there' | 'away' | 'lost'; readonly inMs: number }
  /** The service refuses changes of a budget from now on. */
  | { readonly kind: 'refuse'; readonly pick: number; readonly when: 'tried' | 'made' }
  /** From now on the service makes every change and says that it refuses; none of them: it says the truth again. */
  | { readonly kind: 'lies'; readonly lies: readonly FaultKind[] }
  /** There are these rules from now on, and no others; undefined stands for those of the beginning. */
  | { readonly kind: 'rules'; readonly names: readonly string[] | undefined }
  /** A target takes their place: one amount for all accounts, or a reallocation in one account. */
  | { readonly kind: 'plan'; readonly reallocates: boolean }
  | { readonly kind: 'wait'; readonly minutes: number }
  /** To a moment around midnight of an account's calendar. */
  | { readonly kind: 'midnight'; readonly account: number; readonly seconds: number };

/** What somebody does to the state file. */
export type Forgetting = 'emptied' | 'deleted' | 'made anew';

/** Records of some time before that somebody puts there at the end. */
export interface Dump {
  /** They are those of the middle of a report, after so many commits; undefined for those from before it. */
  readonly commits: number | undefined;
  /** So many reports come after that, one each other day. */
  readonly reports: number;
  /** They are put there so long after another report began; with files only. Milliseconds. */
  readonly duringMs: number | undefined;
  /** The data folder is a new one then; with a database only. */
  readonly losesFolder: boolean;
  /** What a person does about files. */
  readonly way: 'adopt' | 'restore';
}

/** A process at the end whose clock is another one than the service's. */
export interface WrongClock {
  /** Milliseconds; negative where it is behind. */
  readonly aheadMs: number;
  /** It comes before the one of the day whose clock is right. */
  readonly comesFirst: boolean;
  /** Only a worker has it, beside others whose clocks are right; with a database only. */
  readonly isOfWorker: boolean;
  /** The service says in each answer what time it is. */
  readonly isTold: boolean;
  readonly kill: Kill | undefined;
}

/** What a seed stands for. */
const WROTE = ['never', 'at the start', 'only as believed'] as const;

export const BESIDE = ['email', 'slack', 'google_chat', 'webhook', 'alertmanager', 'pagerduty'] as const;

export interface Story {
  readonly startMs: number;
  readonly settleDays: number;
  readonly concurrency: number;
  readonly mode: 'apply' | 'approve';
  /** Names of the rules that there are. */
  readonly rules: readonly string[];
  /** The published file is written: it takes most of a run's time. */
  readonly publishes: boolean;
  /** Tokens are renewed: for how long the service says that one is good, and for how long it is. Seconds. */
  readonly tokens: { readonly saidS: number; readonly trueS: number } | undefined;
  /** From this process on the query has another column; none has it where it is undefined. */
  readonly widerFrom: number | undefined;
  /** The service tells who has changed which budget. */
  readonly tellsChanges: boolean;
  /** Some messages never arrive, until nothing goes wrong any more. */
  readonly losesMessages: boolean;
  /** When the recipients wrote: never, at the start, or at the start as only pacekeeper believes. */
  readonly wrote: (typeof WROTE)[number];
  /** What people have beside their phones, for what does not reach these; undefined where they have nothing. */
  readonly beside: (typeof BESIDE)[number] | undefined;
  /** One of them has no phone then. */
  readonly lacksPhone: boolean;
  /** The settings exclude a manager, whose client is reached directly as well. */
  readonly excludes: boolean;
  readonly steps: readonly StoryStep[];
  /** What becomes of the state file at the end; undefined where nothing does. */
  readonly forgets: Forgetting | undefined;
  /** Which records are there again after that; undefined where none are. */
  readonly dump: Dump | undefined;
  /** Which clock is wrong after that; undefined where none is. */
  readonly wrongClock: WrongClock | undefined;
  /** For everything that is drawn while the story is lived through. */
  readonly random: Random;
}

/** Around changes of the clocks in both time zones, and days without any. */
const STARTS = [
  '2026-10-24T20:00:00Z',
  '2026-10-31T18:00:00Z',
  '2027-03-13T20:00:00Z',
  '2027-03-27T19:00:00Z',
  '2026-11-20T09:00:00Z',
  '2026-12-31T21:00:00Z',
  '2028-02-28T12:00:00Z',
];

const TOKENS = [
  // Good for the whole story, for a part of a run, for as long as a run does without a pause, and for less than it was said.
  { saidS: 3_600_000, trueS: 3_600_000 },
  { saidS: 125, trueS: 125 },
  { saidS: 121, trueS: 121 },
  { saidS: 3600, trueS: 3 },
  { saidS: 3600, trueS: 20 },
];

/** Each seed is about one place to be killed at, which its story leads to; what else happens is drawn. */
export function storyOf(seed: number): Story {
  const random = new Random(Math.imul(seed + 1, 2_654_435_761));
  const scene = sceneAt(KILL_POINTS[seed % KILL_POINTS.length] ?? '', random);
  const steps: StoryStep[] = [];
  if (random.chance(0.4)) {
    for (let left = random.between(1, 2); left > 0; left--) steps.push(stepOf(random, steps.length));
    // A new day, or what was done before keeps the scene from happening.
    steps.push({ kind: 'wait', minutes: random.pick([1500, 3000]) });
  }
  steps.push(...scene.steps);
  for (let left = random.between(3, 7) - steps.length; left > 0; left--) steps.push(stepOf(random, steps.length));
  // Of numbers of their own, or every other step would be another one.
  steps.push(...aimedSteps(new Random(Math.imul(seed + 1, 2_246_822_507))));
  const excluding = new Random(Math.imul(seed + 1, 3_266_489_917));
  const excludes = excluding.chance(0.25);
  if (excludes) steps.push(...excludingSteps(excluding));
  const lying = new Random(Math.imul(seed + 1, 2_869_860_233));
  if (lying.chance(0.2)) steps.push(...lyingSteps(lying, startOf));
  const startMs = Date.parse(random.pick(STARTS)) + random.between(0, 720) * 60_000;
  const settleDays = random.pick([0, 0, 2, 3]);
  const concurrency = random.pick([1, 2, 4]);
  const mode = scene.applies ? 'apply' : random.pick<Story['mode']>(['apply', 'apply', 'apply', 'approve']);
  const forgets = forgettingOf(new Random(Math.imul(seed + 1, 3_266_489_917)));
  // Where rules change nothing, nothing can be forgotten.
  const isForgotten = forgets === undefined && mode === 'apply';
  const dump = isForgotten ? dumpOf(new Random(Math.imul(seed + 1, 2_246_822_519))) : undefined;
  const isCalm = mode === 'apply' && forgets === undefined && dump === undefined;
  const wrongClock = isCalm ? wrongClockOf(new Random(Math.imul(seed + 1, 2_654_435_789))) : undefined;
  const changing = new Random(Math.imul(seed + 1, 1_597_334_677));
  const changesByHand = changing.chance(0.2);
  const tellsChanges = changing.chance(0.5) && (changesByHand || dump !== undefined);
  if (changesByHand) steps.push(...personsSteps(changing, startOf));
  if (changesByHand && tellsChanges && changing.chance(0.5)) steps.unshift(...changedBefore(changing));
  const planning = new Random(Math.imul(seed + 1, 2_083_697_005));
  // Behind all others, because the rules are gone then. Days that stay open for longer leave the target unknown.
  const isSimple = settleDays === 0 && forgets === undefined && dump === undefined && wrongClock === undefined;
  const isPlanned = isSimple && planning.chance(0.7);
  const having = new Random(Math.imul(seed + 1, 1_442_695_041));
  const beside = having.chance(0.6) ? having.pick([...BESIDE, 'email'] as const) : undefined;
  if (beside !== undefined) steps.push(...besideSteps(having, beside === 'email' ? 'mail' : 'post'));
  const reallocates = new Random(Math.imul(seed + 1, 1_013_904_223)).chance(0.5);
  if (isPlanned) steps.push(...planSteps(planning, startOf, reallocates));
  return {
    startMs,
    settleDays,
    concurrency,
    mode,
    rules: ['trim', 'raise', 'ask', 'busy'].filter((name) => name !== 'busy' || random.chance(0.75)),
    publishes: scene.publishes ?? random.chance(0.2),
    tokens: random.chance(0.5) ? random.pick(TOKENS) : undefined,
    widerFrom: random.chance(0.25) ? random.between(2, 5) : undefined,
    excludes,
    tellsChanges,
    // Messages have to be lost, or whoever has a phone would hear of nothing elsewhere.
    losesMessages: beside !== undefined || new Random(Math.imul(seed + 1, 1_181_783_497)).chance(0.25),
    beside,
    lacksPhone: beside !== undefined && having.chance(0.6),
    wrote: WROTE[new Random(Math.imul(seed + 1, 915_488_749)).between(0, WROTE.length - 1)] ?? 'never',
    steps: withWorkers(
      withLosses(steps, new Random(Math.imul(seed + 1, 668_265_263))),
      new Random(Math.imul(seed + 1, 374_761_393)),
    ),
    forgets,
    dump,
    wrongClock,
    random: random.fork(),
  };
}

const LOSSES: readonly Loss['what'][] = ['statement', 'answer', 'answer', 'connections'];

/** Of numbers of their own, because only one engine has connections. */
function withLosses(steps: readonly StoryStep[], random: Random): StoryStep[] {
  const losing = (start: Start): Start => {
    const loss = { what: random.pick(LOSSES), nth: random.between(1, 400) };
    return start.kill === undefined && random.chance(0.3) ? { ...start, loss } : start;
  };
  return steps.map((step) => (step.kind === 'start' ? { ...step, starts: step.starts.map(losing) } : step));
}

/** Of numbers of their own, because only one engine has workers. */
function withWorkers(steps: readonly StoryStep[], random: Random): StoryStep[] {
  return steps.map((step) => {
    if (step.kind !== 'start' || !random.chance(0.6)) return step;
    return { ...step, workers: Array.from({ length: random.between(1, 3) }, () => workerOf(random)) };
  });
}

function workerOf(random: Random): WorkerStart {
  return {
    trouble: random.pick([0, 0, 0.05, 0.15]),
    kill: random.chance(0.6) ? killOfWorker(random) : undefined,
    mishap: undefined,
    loss: random.chance(0.3) ? { what: random.pick(LOSSES), nth: random.between(1, 150) } : undefined,
    stopAfterMs: random.chance(0.15) ? random.pick([500, 3_000, 10_000]) : undefined,
    afterMs: random.pick([0, 0, 200, 4_000]),
    hang: random.chance(0.25)
      ? { nth: random.between(2, 60), forMs: random.pick([8_000, 30_000, 120_000]) }
      : undefined,
  };
}

/** Early, because a worker does only a part of a run. */
function killOfWorker(random: Random): Kill {
  const roll = random.next();
  if (roll < 0.3) return { at: `network:${random.pick(['send', 'arrival', 'answer'])}`, nth: random.between(1, 4) };
  if (roll < 0.6) return { at: random.pick(['commit:before', 'commit:after']), nth: random.between(1, 6) };
  return { at: random.pick(CRASH_POINTS.filter((point) => belongsTo(point, 'report'))), nth: 1 };
}

function forgettingOf(random: Random): Forgetting | undefined {
  return random.chance(0.25) ? random.pick<Forgetting>(['emptied', 'deleted', 'made anew']) : undefined;
}

function dumpOf(random: Random): Dump | undefined {
  if (!random.chance(0.25)) return undefined;
  return {
    commits: random.chance(0.5) ? random.between(2, 25) : undefined,
    reports: random.pick([0, 0, 1, 2]),
    duringMs: random.chance(0.2) ? random.between(500, 4_000) : undefined,
    losesFolder: random.chance(0.4),
    way: random.pick(['adopt', 'restore'] as const),
  };
}

const HOUR_MS = 3_600_000;
const HOURS_AHEAD = [-26, -26, -13, -13, -2, -0.5, 0.5, 2, 13, 13, 13, 26, 26, 72];

function wrongClockOf(random: Random): WrongClock | undefined {
  if (!random.chance(0.3)) return undefined;
  return {
    aheadMs: random.pick(HOURS_AHEAD) * HOUR_MS,
    comesFirst: random.chance(0.4),
    isOfWorker: random.chance(0.5),
    isTold: random.chance(0.85),
    kill: random.chance(0.1) ? killOf(random, 'report') : undefined,
  };
}

function stepOf(random: Random, place: number): StoryStep {
  const roll = place === 0 ? 0 : random.next();
  if (roll < 0.6) return { kind: 'start', starts: startsOf(random, place) };
  if (roll < 0.68) {
    const percent = random.pick([50, 80, 90, 120, 200]);
    return { kind: 'foreign', pick: random.between(0, 3), percent, inMs: random.pick([0, 0, 2_000, 60_000]) };
  }
  if (roll < 0.72) return { kind: 'file', there: random.chance(0.6), inMs: random.pick([0, 500, 2_000, 4_000]) };
  if (roll < 0.76) {
    const suspended = random.chance(0.7);
    return { kind: 'suspend', account: random.between(0, 1), suspended, inMs: random.pick([0, 500, 2_000, 60_000]) };
  }
  if (roll < 0.91) return { kind: 'wait', minutes: random.pick([5, 31, 300, 1440, 1440, 1500, 3000]) };
  return { kind: 'midnight', account: random.between(0, 1), seconds: random.pick([-30, -2, 0, 1, 14_400]) };
}

function startsOf(random: Random, place: number): Start[] {
  // Before anything was decided there is nothing to approve and nothing to undo.
  const more: JobName[] = place < 2 ? [] : ['approve', 'approve', 'undo', 'reconcile', 'reject'];
  const first = startOf(random, random.pick<JobName>(['report', 'report', 'report', 'report', 'extract', ...more]));
  if (random.chance(0.1)) {
    // A change that is refused for its token goes out again later than it was decided.
    const mishap = random.chance(0.5) ? ({ kind: 'status_401', on: 'mutate' } as const) : undefined;
    return [{ ...first, mishap }, ...switches(random)];
  }
  if (!random.chance(0.25)) return [first];
  const second = startOf(random, random.pick(['report', 'report', 'deliver', 'deliver', 'extract', 'reconcile']));
  return [first, { ...second, afterMs: random.pick([0, 50, 1_000, 5_000, 60_000]) }];
}

/** Somebody stops all changes while a process runs, and lets them go on, perhaps at once. */
function switches(random: Random): Start[] {
  const atMs = random.between(0, 6_000);
  const off = calmStart('freeze', {}, atMs);
  return random.chance(0.5) ? [off] : [off, calmStart('unfreeze', {}, atMs + random.between(10, 2_000))];
}

function startOf(random: Random, job: JobName): Start {
  return {
    job,
    trouble: random.pick([0, 0, 0.05, 0.15, 0.4]),
    kill: random.chance(0.4) ? killOf(random, job) : undefined,
    mishap: undefined,
    loss: undefined,
    stopAfterMs: random.chance(0.06) ? random.pick([10, 500, 3_000, 30_000]) : undefined,
    afterMs: 0,
  };
}

function killOf(random: Random, job: JobName): Kill {
  const roll = random.next();
  if (roll < 0.2) return { at: `network:${random.pick(['send', 'arrival', 'answer'])}`, nth: random.between(1, 12) };
  if (roll < 0.4) return { at: random.pick(['commit:before', 'commit:after']), nth: random.between(1, 30) };
  if (roll < 0.45) return { at: random.pick(['rename:before', 'rename:after']), nth: random.between(1, 2) };
  const own = CRASH_POINTS.filter((point) => belongsTo(point, job));
  return { at: random.pick(random.chance(0.6) ? own : DELIVERY_POINTS), nth: random.pick([1, 1, 1, 2]) };
}

/** Points that only a person's request passes are of use only there. */
function belongsTo(point: string, job: JobName): boolean {
  if (point.startsWith('approve')) return job === 'approve';
  if (point.startsWith('decline')) return job === 'approve' || job === 'reject';
  return !point.startsWith('undo') || job === 'undo';
}

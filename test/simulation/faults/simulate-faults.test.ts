import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { byEffort, everyNth } from '../../support/effort.ts';
import { byEngine } from '../../support/state.ts';
import { Coverage, EVENTS } from './coverage.ts';
import { type Lived, liveSeed } from './live-seed.ts';
import { type Product, prepareProduct } from './product.ts';
import { SABOTAGES } from './sabotage.ts';
import { FAULTS } from './services/network-faults.ts';
import { BESIDE, KILL_POINTS, type Story, type StoryStep, storyOf } from './story.ts';

/** Of the first ninety those that meet the most faults, places and ends together. `npm run simulate:faults` lives all on files. */
const MANY = [1, 22, 37, 39, 64, 77, 78, 89];
/** The first loses connections. */
const ON_POSTGRES = [5, 22, 77];
const SEEDS = byEngine({
  sqlite: [22, 77],
  postgres: byEffort({ quick: [], thorough: ON_POSTGRES, long: [...new Set([...ON_POSTGRES, ...MANY])] }),
});

const firstOf = (is: (story: Story) => boolean | undefined) =>
  Array.from({ length: 90 }, (_, seed) => seed)
    .filter((seed) => is(storyOf(seed)))
    .slice(0, 3);
/** Rules only tell, so that a budget is read and not changed. */
const isOfPersons = (step: StoryStep) => step.kind === 'rules' && step.names?.join() === 'busy';
const firstWith = (kind: 'publishes' | 'excludes' | 'forgets' | 'dump') => firstOf((story) => Boolean(story[kind]));

/** Where the wrong thing is not done in every world. */
const LED_TO: Readonly<Record<string, readonly number[]>> = {
  'forgets the floor': [12],
  'forgets changes by others on the same day': [11, 14, 44],
  "treats a person's undo as a change by a rule": [7, 15],
  "forgets a person's NO": [21, 22],
  'treats an old reading as a change by somebody else': [9, 33],
  'accepts a success that names no budget': [17],
  'accepts any budget name': [2],
  'overlooks the refused part of a change': [8, 31],
  'believes a refusal of a change that it has sent': firstOf(({ steps }) => steps.some(({ kind }) => kind === 'lies')),
  'forgets the readings of budgets': firstOf(({ steps, tellsChanges }) => !tellsChanges && steps.some(isOfPersons)),
  "asks for the service's changes of today alone": firstOf(({ steps }) => steps[0]?.kind === 'foreign'),
  'approves an expired request': [26, 32],
  'sends to a chat twice': firstOf(({ beside }) => beside === 'slack' || beside === 'google_chat'),
  'repeats a mail in doubt without saying so': firstOf(({ beside, lacksPhone }) => beside === 'email' && lacksPhone),
  'ends an incident by another key': firstOf(({ beside, lacksPhone }) => beside === 'pagerduty' && lacksPhone),
  'treats undelivered messages as delivered': firstOf(({ losesMessages }) => losesMessages),
  'publishes without rows': firstWith('publishes'),
  'treats an unreadable excluded manager as an account': firstWith('excludes'),
  'excludes a manager but not the accounts below it': firstWith('excludes'),
  'treats lost state as an unused folder': firstWith('forgets'),
  'takes a restored dump for its own': firstWith('dump'),
  'does not ask for the time': firstOf(({ wrongClock }) => wrongClock?.isTold && wrongClock.kill === undefined),
};
/** These alter files, or the text of statements for SQLite. */
const ON_FILES = ['loses an alert', 'publishes without rows', 'treats lost state as an unused folder'];
const SABOTAGED = byEngine({
  sqlite: everyNth(3, Object.keys(SABOTAGES)),
  postgres: byEffort({
    quick: [],
    thorough: ['adds a click to a row', 'drops pending alerts', 'sends each change twice'],
    long: Object.keys(SABOTAGES).filter((name) => SABOTAGES[name]?.reword === undefined && !ON_FILES.includes(name)),
  }),
});
let product: Product;
beforeAll(async () => {
  product = await prepareProduct(inject('postgres'));
});
afterAll(() => product.remove());

/** Each world is lived through once, but where it is asked whether it is the same again. */
const known = new Map<number, Promise<Lived>>();
function lived(seed: number): Promise<Lived> {
  const one = known.get(seed) ?? liveSeed(product, seed);
  known.set(seed, one);
  return one;
}

const wordsOf = ({ seed, violations }: Lived) =>
  violations.map((one) => `npm run simulate:faults -- --seed ${seed}: ${one}`);

describe('a world with lost requests, wrong answers and killed processes', () => {
  it.each(SEEDS)('loses nothing, duplicates nothing and finishes: seed %i', async (seed) => {
    const { ends, ...told } = await lived(seed);
    expect(wordsOf({ ends, ...told })).toEqual([]);
    expect(ends.length).toBeGreaterThan(4);
  });

  it('is the same for the same seed, and different for another', async () => {
    const first = await lived(77);
    const again = await liveSeed(product, 77);
    const other = await lived(22);
    expect(again.traced).toEqual(first.traced);
    expect(again.hash).toBe(first.hash);
    expect(other.hash).not.toBe(first.hash);
  });

  it('lists places and faults that never occurred', async () => {
    const coverage = new Coverage();
    expect(coverage.missing()).toHaveLength(FAULTS.length + KILL_POINTS.length + BESIDE.length + EVENTS.length);
    const one = await lived(22);
    coverage.add(one);
    const placesOf = (points: readonly string[]) => points.map((point) => `kill ${point}`);
    expect(one.kills.length).toBeGreaterThan(0);
    expect(coverage.missing()).not.toEqual(expect.arrayContaining(placesOf(one.kills.slice(0, 1))));
    const others = KILL_POINTS.filter((point) => !one.kills.includes(point));
    expect(others.length).toBeGreaterThan(0);
    expect(coverage.missing()).toEqual(expect.arrayContaining(placesOf(others)));
  });

  it('counts the faults and places that occurred', () => {
    const coverage = new Coverage();
    const [fault, other] = FAULTS;
    const faults = new Map([fault, other].flatMap((kind) => (kind === undefined ? [] : [[kind, 95] as const])));
    coverage.add({
      faults,
      kills: KILL_POINTS.slice(0, 2),
      losses: [],
      ends: [],
      events: [],
      traced: [],
      virtualMs: 0,
    });
    expect(coverage.lines().slice(1, 3)).toEqual([
      expect.stringContaining(`190 faults of 2 kinds, of ${FAULTS.length} that there are: `),
      expect.stringContaining(`2 processes killed at 2 places, of ${KILL_POINTS.length} that there are: `),
    ]);
  });

  it.each(SABOTAGED)('detects a program that %s', async (name) => {
    const found: string[] = [];
    for (const seed of LED_TO[name] ?? [1, 3, 4]) {
      if (found.length === 0) found.push(...wordsOf(await liveSeed(product, seed, SABOTAGES[name])));
    }
    expect(found).not.toEqual([]);
  });
});

import { distance } from 'fastest-levenshtein';

/** How many edits farther than the best a name may be and still be offered beside it. */
const SPREAD = 1;
/** The same among names with all the words: one word more is farther. */
const SPREAD_OF_WORDS = 0.045;

/**
 * The names nearest to what was written, best first, at most three; none when nothing is near enough to be meant, and
 * none that is clearly farther than the best. Near is a name of the same letters but for a few edits (`campaign.nam`),
 * one that lacks its resource (`clicks`), and one with all the words and some more: `metrics.cost` means
 * `metrics.cost_micros`.
 */
export function nearestNames(name: string, candidates: Iterable<string>): string[] {
  const wanted = name.toLowerCase();
  // Two of three letters changed leave little of what was written: cpa is no ctr.
  const tolerance = wanted.length <= 3 ? 1 : Math.max(2, Math.floor(wanted.length / 3));
  const scored = [...candidates].map((candidate) => ({
    candidate,
    score: closeness(wanted, candidate.toLowerCase(), tolerance),
  }));
  const best = scored.reduce((least, { score }) => Math.min(least, score), Number.POSITIVE_INFINITY);
  const farthest = best < 1 ? best + SPREAD_OF_WORDS : Math.min(tolerance, best + SPREAD);
  return scored
    .filter(({ score }) => score <= farthest)
    .sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function closeness(wanted: string, candidate: string, tolerance: number): number {
  if (candidate.endsWith(`.${wanted}`)) return 0;
  const byWords = wordsMissing(wanted, candidate);
  // Each letter more or less is an edit, so that most candidates need no comparison.
  if (Math.abs(wanted.length - candidate.length) > tolerance) return byWords;
  return Math.min(byWords, distance(wanted, candidate));
}

/** A name with all the words is nearer than one with an edit; of those, one that goes on where the written one ends. */
const ALL_WORDS = 0.5;
const PER_WORD = 0.05;
const NOT_A_BEGINNING = 0.04;

function wordsMissing(wanted: string, candidate: string): number {
  const written = wordsOf(wanted);
  const all = wordsOf(candidate);
  let next = 0;
  for (const word of all) if (word === written[next]) next += 1;
  if (next < written.length || wanted.length < WORD_LENGTH_MIN) return Number.POSITIVE_INFINITY;
  const goesOn = candidate.startsWith(wanted) || candidate.includes(`.${wanted}`);
  return ALL_WORDS + PER_WORD * (all.length - written.length) + (goesOn ? 0 : NOT_A_BEGINNING);
}

const WORD_LENGTH_MIN = 3;
const known = new Map<string, readonly string[]>();
const KNOWN_MAX = 10_000;

/** The words of a name, plurals as singulars. The same candidates are asked about again and again. */
function wordsOf(name: string): readonly string[] {
  const found = known.get(name);
  if (found) return found;
  const words = name.split(/[._]/).map((word) => (word.length > WORD_LENGTH_MIN ? word.replace(/s$/, '') : word));
  if (known.size < KNOWN_MAX) known.set(name, words);
  return words;
}

/** "Did you mean a, b or c?", or undefined. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const names = nearestNames(name, candidates);
  if (names.length === 0) return undefined;
  const last = names.at(-1);
  return `Did you mean ${names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`}?`;
}

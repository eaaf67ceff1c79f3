import { distance } from 'fastest-levenshtein';

/** Suggestions may need at most this many edits more than the best suggestion. */
const SPREAD = 1;
const SPREAD_OF_WORDS = 0.045;

/** Returns at most three similar names, best first. */
export function nearestNames(name: string, candidates: Iterable<string>): string[] {
  const wanted = name.toLowerCase();
  // For three letters, two edits are too many: cpa does not resemble ctr.
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

const NEAR_EDITS_MAX = 2;

export function hasNearName(name: string, candidates: readonly string[]): boolean {
  const wanted = name.toLowerCase();
  return candidates.some((candidate) => closeness(wanted, candidate.toLowerCase(), NEAR_EDITS_MAX) <= NEAR_EDITS_MAX);
}

function closeness(wanted: string, candidate: string, tolerance: number): number {
  if (candidate.endsWith(`.${wanted}`)) return 0;
  const byWords = wordsMissing(wanted, candidate);
  // The slow comparison is useless if the lengths differ too much.
  if (Math.abs(wanted.length - candidate.length) > tolerance) return byWords;
  return Math.min(byWords, distance(wanted, candidate));
}

/** Scores of candidates that contain all words of the name. The lowest score is best. */
const ALL_WORDS = 0.5;
const PER_WORD = 0.05;
const NOT_A_BEGINNING = 0.04;

function wordsMissing(wanted: string, candidate: string): number {
  const written = nameParts(wanted);
  const all = nameParts(candidate);
  let next = 0;
  for (const word of all) if (word === written[next]) next += 1;
  if (next < written.length || wanted.length < WORD_LENGTH_MIN) return Number.POSITIVE_INFINITY;
  const goesOn = candidate.startsWith(wanted) || candidate.includes(`.${wanted}`);
  return ALL_WORDS + PER_WORD * (all.length - written.length) + (goesOn ? 0 : NOT_A_BEGINNING);
}

const WORD_LENGTH_MIN = 3;
const known = new Map<string, readonly string[]>();
const KNOWN_MAX = 10_000;

/** Results are cached, because the same names are compared often. */
function nameParts(name: string): readonly string[] {
  const found = known.get(name);
  if (found) return found;
  const words = name.split(/[._]/).map((word) => (word.length > WORD_LENGTH_MIN ? word.replace(/s$/, '') : word));
  if (known.size < KNOWN_MAX) known.set(name, words);
  return words;
}

export function firstOf(names: readonly string[], most: number): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and others` : shown;
}

export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const names = nearestNames(name, candidates);
  if (names.length === 0) return undefined;
  const last = names.at(-1);
  return `Did you mean ${names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`}?`;
}

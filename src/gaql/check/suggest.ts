import { distance } from 'fastest-levenshtein';

/** How many edits farther than the best a name may be and still be offered beside it. */
const SPREAD = 1;

/**
 * The names nearest to a misspelt one, best first, at most three; none when nothing is near enough to be meant, and none
 * that is clearly farther than the best: `campaign.nam` means `campaign.name`, not `campaign.id`. A name that lacks only
 * its resource (`clicks`) is as near as can be.
 */
export function nearestNames(name: string, candidates: Iterable<string>): string[] {
  const wanted = name.toLowerCase();
  const tolerance = Math.max(2, Math.floor(wanted.length / 3));
  const scored = [...candidates].map((candidate) => ({
    candidate,
    score: closeness(wanted, candidate.toLowerCase(), tolerance),
  }));
  const farthest = Math.min(tolerance, Math.min(...scored.map(({ score }) => score)) + SPREAD);
  return scored
    .filter(({ score }) => score <= farthest)
    .sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function closeness(wanted: string, candidate: string, tolerance: number): number {
  if (candidate.endsWith(`.${wanted}`)) return 0;
  // Each letter more or less is an edit, so that most candidates need no comparison.
  if (Math.abs(wanted.length - candidate.length) > tolerance) return Number.POSITIVE_INFINITY;
  return distance(wanted, candidate);
}

/** "Did you mean a, b or c?", or undefined. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  const names = nearestNames(name, candidates);
  if (names.length === 0) return undefined;
  const last = names.at(-1);
  return `Did you mean ${names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`}?`;
}

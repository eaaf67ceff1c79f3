import { nearestNames } from '../language/gaql/check/suggest.ts';
import { type Environment, VARIABLES } from './setting-tree.ts';

const OURS = /^(?:ADS|MESSAGES|GRAPH|SERVE|PACEKEEPER)_/;
/** Variables of pacekeeper that are no settings, and those that Kubernetes sets for a service called `pacekeeper`. */
const OTHERS = /^PACEKEEPER_TICK$|_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/;

/** Names with the prefix of a setting that are no setting. */
export function unknownVariables(environment: Environment): string[] {
  return namesIn(environment).filter((name) => OURS.test(name) && !OTHERS.test(name));
}

/** All names with a value that are no setting, also those of other programs. */
export function namesIn(environment: Environment): string[] {
  return Object.keys(environment).filter((name) => environment[name]?.trim() && !VARIABLES.includes(name));
}

/** Never repeats the value, because it can be a secret. */
export function unknownWords(name: string): string {
  const [nearest] = nearestNames(name, VARIABLES);
  const next = nearest === undefined ? 'See docs/configuration.md for all names.' : `Did you mean ${nearest}?`;
  return `The variable ${name} has no effect, because no setting has this name. ${next}`;
}

import { type Document, isMap, isNode, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap } from 'yaml';

type Path = readonly (string | number)[];

const gathered = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();

/** The pairs of a group by their keys' texts, the first of each: gathered once, since to look through all for each key takes the square of them. */
function pairsOf(map: YAMLMap): ReadonlyMap<unknown, Pair> {
  const known = gathered.get(map);
  if (known) return known;
  const pairs = new Map<unknown, Pair>();
  for (const pair of map.items) {
    if (isScalar(pair.key) && !pairs.has(pair.key.value)) pairs.set(pair.key.value, pair);
  }
  gathered.set(map, pairs);
  return pairs;
}

/** What stands at the path; undefined where nothing does, or an alias on the way there. */
export function nodeAt(document: Document, path: Path): Node | undefined {
  let node: unknown = document.contents;
  for (const part of path) {
    if (isMap(node)) node = pairsOf(node).get(part)?.value;
    else if (isSeq(node) && typeof part === 'number') node = node.items[part];
    else return undefined;
  }
  return isNode(node) ? node : undefined;
}

/** The key of a group as it is written. */
export function keyAt(map: Node | undefined, key: string | number | undefined): Node | undefined {
  const pair = isMap(map) ? pairsOf(map).get(key) : undefined;
  return isNode(pair?.key) ? pair.key : undefined;
}

/**
 * The keys that their group has already, in the order of the text. The library would compare each with all before it, so that its own
 * look is left out when a text is parsed.
 */
export function repeatedKeys(document: Document): Node[] {
  const repeated: Node[] = [];
  visit(document, {
    Map(_, map) {
      const pairs = pairsOf(map);
      for (const pair of map.items) {
        if (isScalar(pair.key) && pairs.get(pair.key.value) !== pair) repeated.push(pair.key);
      }
    },
  });
  return repeated.sort((one, other) => (one.range?.[0] ?? 0) - (other.range?.[0] ?? 0));
}

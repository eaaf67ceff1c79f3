/** What a code means, with a text that gets it and the same text put right. */
export interface Explanation {
  /** A sentence or two. */
  readonly meaning: string;
  readonly wrong: string;
  readonly right: string;
  /** What the two texts are: queries unless told otherwise. Of a rule, the keys that matter. */
  readonly of?: 'query' | 'file name' | 'file' | 'rule';
}

import type { Explanation } from '../../../language/gaql/codes.ts';

const EXPLANATIONS = {
  MODEL_SYNTAX: {
    meaning: 'The model is not one valid SELECT of SQLite.',
    wrong: 'SELECT campaign_id, FROM keyword_stats',
    right: 'SELECT campaign_id FROM keyword_stats',
  },
  MODEL_UNKNOWN_NAME: {
    meaning:
      'The model reads a table or column that does not exist. A model can read tables of queries and other models.',
    wrong: 'SELECT campaign_id FROM keyword_stat',
    right: 'SELECT campaign_id FROM keyword_stats',
  },
  MODEL_CYCLE: {
    meaning: 'The model reads itself, directly or through other models.',
    wrong: '-- models/x.sql\nSELECT campaign_id FROM x',
    right: '-- models/x.sql\nSELECT campaign_id FROM keyword_stats',
  },
  MODEL_REFUSED: {
    meaning:
      'A model only reads tables of queries and models. It cannot use parameters, recursion, random values, control characters or tables of SQLite.',
    wrong: 'DELETE FROM keyword_stats',
    right: 'SELECT campaign_id FROM keyword_stats WHERE clicks > 0',
  },
  MODEL_COLUMN: {
    meaning:
      'Each column of a model has its own name: lower-case letters, digits and underscores, starting with a letter.',
    wrong: 'SELECT sum(clicks) FROM keyword_stats',
    right: 'SELECT sum(clicks) AS clicks FROM keyword_stats',
  },
} as const satisfies Readonly<Record<string, Omit<Explanation, 'of'>>>;

export type ModelCode = keyof typeof EXPLANATIONS;

export const MODEL_CODES: ReadonlyMap<string, Explanation> = new Map(
  Object.entries<Omit<Explanation, 'of'>>(EXPLANATIONS).map(([code, one]) => [code, { ...one, of: 'model' }]),
);

import * as z from 'zod';
import { isGraphId } from '../../domain/graph-ids.ts';

/** An identifier in an answer: text, or a number where it is small enough to be exact. */
export const graphIdText = z
  .union([z.string(), z.number().int().transform(String)])
  .refine(isGraphId, 'an identifier of digits');

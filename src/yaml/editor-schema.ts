import * as z from 'zod';
import { alternatives } from './scalars.ts';

/** A JSON Schema, as far as it is looked into here. */
export interface JsonSchema {
  readonly [word: string]: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/**
 * The JSON Schema (draft 2020-12) of the files that a schema reads, by which editors complete and check them: of what is
 * written, not of what it is turned into.
 */
export function editorSchema(schema: z.ZodType, title: string): JsonSchema {
  return { ...written(schema), title };
}

function written(schema: z.core.$ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const any = alternatives.get(zodSchema)?.map(withoutDialect);
      if (any) {
        delete jsonSchema.type;
        delete jsonSchema.items;
        Object.assign(jsonSchema, { anyOf: any });
      }
      // The library leaves examples of what is transformed out: they could be of the outcome. Here they are of the text.
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  }) as JsonSchema;
}

function withoutDialect(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _, ...rest } = written(schema);
  return rest;
}

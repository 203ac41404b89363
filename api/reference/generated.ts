// The texts of the generated documents, by their file name under `schema/`.
import { lexicographicSortSchema, printSchema } from 'graphql';
import { createSchema } from '../graphql/schema.ts';
import { writeOpenApi } from './openapi.ts';
import { routes } from '../http/routes.ts';

/** Part of the specification, but many client generators are older and need the declaration. */
const oneOf = 'directive @oneOf on INPUT_OBJECT';

export function generated(): Record<string, string> {
  return {
    'openapi.json': `${JSON.stringify(writeOpenApi(routes), null, 2)}\n`,
    'schema.graphql': `${oneOf}\n\n${printSchema(lexicographicSortSchema(createSchema()))}\n`,
  };
}

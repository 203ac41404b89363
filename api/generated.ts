// The texts of the generated documents, by their file name under `schema/`.
import { lexicographicSortSchema, printSchema } from 'graphql';
import { createSchema } from './graphql.ts';
import { writeOpenApi } from './openapi.ts';
import { routes } from './routes.ts';

export function generated(): Record<string, string> {
  return {
    'openapi.json': `${JSON.stringify(writeOpenApi(routes), null, 2)}\n`,
    'schema.graphql': `${printSchema(lexicographicSortSchema(createSchema()))}\n`,
  };
}

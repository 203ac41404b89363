// The schema as a type, from which gql.tada reads the types of the dashboard's documents.
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { introspectionFromSchema, type GraphQLSchema } from 'graphql';

export function writeIntrospection(schema: GraphQLSchema): string {
  const introspection = introspectionFromSchema(schema, { descriptions: false });
  const text = outputIntrospectionFile(minifyIntrospection(introspection), {
    fileType: '.d.ts',
    shouldPreprocess: true,
  });
  return `// Generated: the schema, as gql.tada reads it.\n${text}`;
}

// What the dashboard knows of the schema: its types, from which gql.tada reads those of documents, and the selection
// of every option of every network, so that a new network needs no line in the dashboard.
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import {
  getNamedType,
  introspectionFromSchema,
  isObjectType,
  isUnionType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

export function writeIntrospection(schema: GraphQLSchema): string {
  const introspection = introspectionFromSchema(schema, { descriptions: false });
  const text = outputIntrospectionFile(minifyIntrospection(introspection), {
    fileType: '.d.ts',
    shouldPreprocess: true,
  });
  return `// Generated: the schema, as gql.tada reads it.\n${text}`;
}

/** Networks have options of the same name and of another type, so each has an alias with the name of its type. */
export function writeOptionSelection(schema: GraphQLSchema): string {
  const union = schema.getType('PlatformOptions');
  if (!isUnionType(union)) throw new Error('The schema has no union PlatformOptions.');
  const networks = union
    .getTypes()
    .map((type) => `  ... on ${type.name} { ${selectionOf(type, `${type.name}_`)} }`);
  return `// Generated: every option of every network. An alias begins with the name of its type.
export const optionSelection = \`
  __typename
${networks.join('\n')}
\`;
`;
}

function selectionOf(type: GraphQLObjectType, prefix = ''): string {
  return Object.values(type.getFields())
    .map(({ name, type: fieldType }) => {
      const alias = prefix === '' ? name : `${prefix}${name}: ${name}`;
      const member = getNamedType(fieldType);
      return isObjectType(member) ? `${alias} { ${selectionOf(member)} }` : alias;
    })
    .join(' ');
}

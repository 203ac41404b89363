// The tables of what is deprecated: in REST, from the routes, and in GraphQL, from the schema.
import { isInputObjectType, isInterfaceType, isObjectType, type GraphQLSchema } from 'graphql';
import { deprecatedMembers } from '../api/http/deprecation.ts';
import type { Route } from '../api/http/route.ts';
import { deprecations, type DeprecatedIn } from '../schema/wire/deprecations.ts';
import { writeTable } from './write-table.ts';

/** Something deprecated in REST: a route, or a member of its request or answer. */
export interface RestDeprecation {
  route: string;
  member: string;
  version: DeprecatedIn;
}

export function listRestDeprecations(routes: readonly Route[]): RestDeprecation[] {
  return routes.flatMap(({ method, path, deprecatedIn: version, query, body, answer }) => {
    const route = `${method.toUpperCase()} ${path}`;
    const members = [query, body, answer.schema].flatMap((schema) => [
      ...deprecatedMembers(schema),
    ]);
    return [
      ...(version === undefined ? [] : [{ route, member: '', version }]),
      ...members.map(([member, version]) => ({ route, member, version })),
    ];
  });
}

/** The reason of each deprecated field, argument and input field, by its coordinate. */
export function listGraphqlDeprecations(schema: GraphQLSchema): Map<string, string> {
  const found = new Map<string, string>();
  const add = (
    coordinate: string,
    { deprecationReason }: { deprecationReason?: string | null | undefined },
  ) => {
    if (deprecationReason) found.set(coordinate, deprecationReason);
  };
  for (const [name, type] of Object.entries(schema.getTypeMap())) {
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) add(`${name}.${field.name}`, field);
    } else if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        add(`${name}.${field.name}`, field);
        for (const arg of field.args) add(`${name}.${field.name}(${arg.name}:)`, arg);
      }
    }
  }
  return found;
}

export function restDeprecationTable(routes: readonly Route[]): string {
  return writeTable(
    ['Route', 'Deprecated', 'Since version', 'Works at least until'],
    listRestDeprecations(routes).map(({ route, member, version }) => [
      `\`${route}\``,
      member ? `\`${member}\`` : 'The route',
      version,
      deprecations[version].sunset,
    ]),
  );
}

export function graphqlDeprecationTable(schema: GraphQLSchema): string {
  return writeTable(
    ['Member', 'Instead'],
    [...listGraphqlDeprecations(schema)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([coordinate, reason]) => [`\`${coordinate}\``, reason]),
  );
}

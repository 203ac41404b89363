// The headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of an answer to a request that uses something deprecated.
import { z } from 'zod';
import { deprecatedIn, deprecations, type DeprecatedIn } from '../../schema/wire/deprecations.ts';
import type { Route } from './route.ts';

type Asked = Pick<Route, 'deprecatedIn' | 'query' | 'body'>;

/** `query`: the names of its parameters. `body`: as it came. */
export function deprecationHeaders(
  route: Asked,
  query: Iterable<string>,
  body: unknown,
): Record<string, string> {
  const members = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  const versions = [
    route.deprecatedIn,
    ...versionsOf(route.query, query),
    ...versionsOf(route.body, members),
  ].filter((version) => version !== undefined);
  const [first] = versions.toSorted(
    (a, b) => Date.parse(deprecations[a].sunset) - Date.parse(deprecations[b].sunset),
  );
  if (first === undefined) return {};
  const { at, sunset } = deprecations[first];
  return {
    Deprecation: `@${Date.parse(at) / 1_000}`,
    Sunset: new Date(sunset).toUTCString(),
  };
}

function versionsOf(
  schema: z.ZodType | undefined,
  names: Iterable<string>,
): (DeprecatedIn | undefined)[] {
  const deprecated = deprecatedMembers(schema);
  return [...names].map((name) => deprecated.get(name));
}

/** The deprecated members of an object, with the version that deprecated each. */
export function deprecatedMembers(schema: z.ZodType | null | undefined): Map<string, DeprecatedIn> {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
  const members = Object.entries(shape).flatMap(([name, member]) => {
    const version = deprecatedIn(member.meta());
    return version === undefined ? [] : [[name, version] as const];
  });
  return new Map(members);
}

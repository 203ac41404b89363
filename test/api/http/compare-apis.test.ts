// REST and GraphQL offer the same operations, with the same scopes, inputs and answers.
import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import type { z } from 'zod';
import { describe, expect, test } from 'vitest';
import { docPages } from '../../../api/reference/docs.ts';
import { createSchema } from '../../../api/resources/schema.ts';
import { toCamelCase } from '../../../api/graphql/case-conversion.ts';
import { healthPages } from '../../../api/server/health.ts';
import { metricsPage } from '../../../api/server/metrics.ts';
import { takesKey, type Route } from '../../../api/http/route.ts';
import { routes } from '../../../api/resources/routes.ts';
import { calls } from '../../../schema/wire/names.ts';
import { fieldOf, findField, findRefusal } from '../../support/checks/compare-apis.ts';

const schema = createSchema();
const places = [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) =>
  Object.keys(type.getFields()).map((name) => `${type.name}.${name}`),
);
/** Routes that only REST has, and why. */
const routesOnly: Readonly<Record<string, string>> = {
  exportPosts: 'a file; GraphQL has the posts themselves',
};
const shared = routes.filter(({ name }) => !Object.hasOwn(routesOnly, name));
const byName = shared.map((route) => [route.name, route] as const);

/** Fields that only GraphQL has, and why. */
const graphqlOnly: Readonly<Record<string, string>> = {
  'Query.node': 'Relay asks for any thing by its id; REST has a path for each kind.',
  'Query.nodes': 'The same for several.',
  'Query.liveCursor': 'REST has no live streams.',
};

/** Pages that only REST has, and why. */
const pagesOnly: Readonly<Record<string, string>> = {
  '/v1/openapi.json': "the document of REST; GraphQL's is its introspection",
  '/docs': 'for people',
  '/docs/viewer.js': 'the script of /docs',
  '/livez': 'for the process supervisor',
  '/healthz': 'for operators',
  '/readyz': 'for the load balancer',
  '/metrics': 'for Prometheus',
};

describe('an operation', () => {
  test.each(byName)('%s of REST is in GraphQL', (_, route) => {
    const advice = `Add the field ${fieldOf(route)} to the graphql.ts of its resource.`;
    expect(findField(schema, fieldOf(route)), advice).toBeDefined();
  });

  test('is in REST if it is in GraphQL', () => {
    const known = new Set([...shared.map(fieldOf), ...Object.keys(graphqlOnly)]);
    const unknown = places.filter((place) => !known.has(place));
    expect(unknown, 'Add a route to the rest.ts of their resource.').toEqual([]);
  });

  test('is listed in this file if one API lacks it', () => {
    const pages = [...docPages, ...healthPages, metricsPage].map(({ path }) => path);
    expect(pages.toSorted()).toEqual(Object.keys(pagesOnly).toSorted());
    expect(Object.keys(graphqlOnly).filter((place) => !places.includes(place))).toEqual([]);
  });

  test.each(Object.entries(calls))('%s has the same REST call in messages', (name, call) => {
    const { method, path } = routes.find((route) => route.name === name)!;
    expect(call).toBe(`${method.toUpperCase()} ${path}`);
  });

  test('has a name of its own', () => {
    expect(new Set(shared.map(fieldOf)).size).toBe(shared.length);
  });
});

describe('the scope', () => {
  test.each(byName)('is the same in both APIs: %s', async (_, route) => {
    const refusal = await findRefusal(schema, fieldOf(route), { scopes: [] });
    expect(refusal?.options.details?.['required_scope'] ?? 'any key').toBe(route.scope);
  });

  test.each(places)('is required of a key: %s', async (place) => {
    const refusal = await findRefusal(schema, place, undefined);
    expect(refusal?.code).toBe('unauthorized');
  });
});

describe('the input', () => {
  test.each(byName.filter(([, { body }]) => body))(
    'has the same fields in the body of %s',
    (_, route) => {
      const argument = findField(schema, fieldOf(route))!.args.find(({ name }) => name === 'input');
      const type = argument && getNamedType(argument.type);
      const fields = isInputObjectType(type) ? Object.keys(type.getFields()) : [];
      const advice = `Make the input of ${fieldOf(route)} match the body in schema/.`;
      const members = membersOf(route.body).filter(isNotNamedByOptions);
      expect(fields.toSorted(), advice).toEqual(members.toSorted());
    },
  );

  test.each(byName)('has the same parameters in %s', (_, route) => {
    const parameters = membersOf(route.query)
      .filter((name) => !restOnly.has(`${route.name}.${name}`))
      .flatMap((name) => argumentNames[`${route.name}.${name}`] ?? argumentNames[name] ?? name);
    const args = findField(schema, fieldOf(route))!.args.map(({ name }) => name);
    const isOfPath = (name: string) =>
      (/^id$|Id$/.test(name) || route.path.includes(`:${name}`)) && !parameters.includes(name);
    const others = args.filter((name) => !otherArguments.has(name) && !isOfPath(name));
    const advice = `Make the arguments of ${fieldOf(route)} match the query in schema/.`;
    expect(others.toSorted(), advice).toEqual(parameters.toSorted());
  });

  test.each(byName.filter(([, route]) => takesKey(route)))(
    '%s may be repeated with a key',
    (_, route) => {
      const place = fieldOf(route);
      if (place.startsWith('Query.')) return;
      const { args } = findField(schema, place)!;
      const input = getNamedType(args.find(({ name }) => name === 'input')?.type);
      const fields = isInputObjectType(input) ? Object.keys(input.getFields()) : [];
      expect([...args.map(({ name }) => name), ...fields]).toContain('idempotencyKey');
    },
  );
});

describe('the output', () => {
  test.each(byName.filter(([, { answer }]) => answer.schema))(
    'is in GraphQL too: %s',
    (_, route) => {
      const shown = shownBy(route);
      const missing = membersOf(route.answer.schema)
        .map((name) => memberNames[`${route.name}.${name}`] ?? name)
        .filter((name) => !shown.has(name));
      expect(missing, `Add the fields to the graphql.ts of ${fieldOf(route)}.`).toEqual([]);
    },
  );
});

const argumentNames: Readonly<Record<string, string | string[]>> = {
  limit: 'first',
  cursor: 'after',
  'listPosts.label': 'labels',
  'listPosts.order': 'orderBy',
  // GraphQL had one status before it had several.
  'listPosts.status': ['status', 'statuses'],
};
/** Parameters that choose what to read, which GraphQL selects. */
const restOnly: ReadonlySet<string> = new Set(['listPosts.include']);
const otherArguments = new Set(['input', 'idempotencyKey']);
/** Members of answers that have other names in GraphQL, where caches tell objects apart by `id`. */
const memberNames: Readonly<Record<string, string>> = {
  'listAccountChoices.id': 'choiceId',
};

/** GraphQL names the network of `platformOptions` by their member. */
const isNotNamedByOptions = (name: string, _: number, names: string[]) =>
  name !== 'platform' || !names.includes('platformOptions');

/** The GraphQL names of an object's members. */
function membersOf(given: z.ZodType | undefined | null): string[] {
  let type = given;
  if (type && 'element' in type) type = type.element as z.ZodType;
  if (type && 'options' in type) return (type.options as z.ZodType[]).flatMap(membersOf);
  return type && 'shape' in type ? Object.keys(type.shape as object).map(toCamelCase) : [];
}

/** The names of the fields of what a GraphQL field answers, with those of what these hold. */
function shownBy(route: Route): ReadonlySet<string> {
  const type = getNamedType(findField(schema, fieldOf(route))!.type);
  const names = new Set<string>();
  if (!isObjectType(type)) return names;
  for (const field of Object.values(type.getFields())) {
    names.add(field.name);
    const inner = getNamedType(field.type);
    if (isObjectType(inner)) Object.keys(inner.getFields()).forEach((name) => names.add(name));
  }
  return names;
}

// What is deprecated says so: in the answers of REST, and with the same names in GraphQL.
import { beforeAll, describe, expect, test } from 'vitest';
import { toCamelCase } from '../../../api/graphql/case-conversion.ts';
import { deprecationHeaders } from '../../../api/http/deprecation.ts';
import { routes } from '../../../api/resources/routes.ts';
import { createSchema } from '../../../api/resources/schema.ts';
import { deprecations } from '../../../schema/wire/deprecations.ts';
import {
  listGraphqlDeprecations,
  listRestDeprecations,
} from '../../../scripts/deprecation-tables.ts';
import { useRest, type TestKey } from '../../support/app/rest.ts';

const rest = useRest();
let owner: TestKey;

beforeAll(async () => {
  owner = await rest.createTenant();
});

const headers = { deprecation: '@1795737600', sunset: 'Tue, 01 Jun 2027 00:00:00 GMT' };
const none = { deprecation: null, sunset: null };

async function headersOf(method: string, path: string, body?: object) {
  const answer = await rest.call(method, path, { key: owner.key, ...(body && { body }) });
  const { status } = answer;
  const [deprecation, sunset] = ['Deprecation', 'Sunset'].map((name) => answer.headers.get(name));
  return { status, deprecation, sunset };
}

describe('the answer to a request', () => {
  const time = '2026-11-01T00:00:00Z';

  test('with a deprecated parameter has the headers, refused or not', async () => {
    const path = '/v1/events?since=';
    expect(await headersOf('GET', `${path}${time}`)).toEqual({ status: 200, ...headers });
    expect(await headersOf('GET', `${path}never`)).toEqual({ status: 422, ...headers });
  });

  test('with a deprecated member has them', async () => {
    const path = '/v1/webhooks/wh_none/replay';
    expect(await headersOf('POST', path, { until: time })).toMatchObject(headers);
    expect(await headersOf('POST', path, { to: time })).toMatchObject(none);
  });

  test('without anything deprecated has none', async () => {
    expect(await headersOf('GET', `/v1/events?from=${time}`)).toEqual({ status: 200, ...none });
  });

  test('of a deprecated route always has them', () => {
    expect(deprecationHeaders({ deprecatedIn: '0.2' }, [], undefined)).toEqual({
      Deprecation: headers.deprecation,
      Sunset: headers.sunset,
    });
  });
});

test('what a version deprecates works for at least six months', () => {
  for (const [version, { at, sunset }] of Object.entries(deprecations)) {
    const until = new Date(at);
    until.setUTCMonth(until.getUTCMonth() + 6);
    expect(Date.parse(sunset), version).toBeGreaterThanOrEqual(until.getTime());
  }
});

describe('every deprecation', () => {
  const inGraphql = listGraphqlDeprecations(createSchema());

  test('in REST names its version, as the OpenAPI document marks it', () => {
    const marked = routes.flatMap(({ query, body, answer }) =>
      [query, body, answer.schema].flatMap((schema) =>
        Object.entries((schema as { shape?: object } | undefined)?.shape ?? {}).filter(
          ([, member]) =>
            (member as { meta(): object | undefined }).meta()?.['deprecated' as never],
        ),
      ),
    );
    expect(marked.length).toBeGreaterThan(0);
    expect(listRestDeprecations(routes)).toHaveLength(marked.length);
  });

  test('in REST is one in GraphQL too', () => {
    const names = [...inGraphql.keys()].map((coordinate) => /(\w+):?\)?$/.exec(coordinate)![1]);
    for (const { member } of listRestDeprecations(routes)) {
      expect(names).toContain(toCamelCase(member));
    }
  });

  test('in GraphQL says what to use, and until when it works', () => {
    expect(inGraphql.size).toBeGreaterThan(0);
    const days = Object.values(deprecations).map(({ sunset }) => sunset);
    for (const [coordinate, reason] of inGraphql) {
      expect(reason, coordinate).toMatch(/^Use `\w+`\. This works at least until [\d-]{10}\.$/);
      expect(days, coordinate).toContain(/[\d-]{10}/.exec(reason)![0]);
    }
  });
});

// The 404 of events and deliveries that are no longer kept.
import { beforeAll, describe, expect, test } from 'vitest';
import { firstIdAt, newId } from '../../../schema/wire/ids.ts';
import { type TestKey, useRest } from '../../support/app/rest.ts';

let tenant: TestKey;

const rest = useRest({ FANFARE_RETENTION_DAYS: '7' });
beforeAll(async () => {
  tenant = await rest.createTenant();
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const hint = 'Events and deliveries are kept for 7 days.';

describe('an id older than the retention', () => {
  test.each([
    ['GET', '/v1/events/:id', 'event'],
    ['GET', '/v1/deliveries/:id', 'delivery'],
    ['POST', '/v1/deliveries/:id/retry', 'delivery'],
  ] as const)('%s %s says how long they are kept', async (method, path, kind) => {
    const ask = async (id: string) => {
      const { status, body } = await rest.call(method, path.replace(':id', id), tenant);
      expect(status).toBe(404);
      expect(body.error).toMatchObject({
        code: 'not_found',
        message: `No ${kind} has the id ${id}.`,
      });
      return body.error.hint as string | undefined;
    };
    expect(await ask(firstIdAt(kind, daysAgo(7.1)))).toBe(hint);
    expect(await ask(firstIdAt(kind, daysAgo(6.9)))).toBeUndefined();
    expect(await ask(newId(kind))).toBeUndefined();
    expect(await ask('anything')).toBeUndefined();
    const other = kind === 'event' ? 'delivery' : 'event';
    expect(await ask(firstIdAt(other, daysAgo(8)))).toBeUndefined();
  });
});

// The check of answers, which every call of the tests runs, notices what the document doesn't declare.
import { describe, expect, test } from 'vitest';
import { eventCatalogue } from '../../../schema/event-types.ts';
import { checkAnswer } from '../../support/checks/answers.ts';
import { useRest } from '../../support/app/rest.ts';

const rest = useRest();
const headers = new Headers({ 'X-Request-Id': 'req_1' });
const limits = async () => {
  const { key } = await rest.createTenant();
  return rest.call('GET', '/v1/limits', { key });
};

describe('an answer', () => {
  test('passes as Fanfare sends it', async () => {
    const answer = await limits();
    expect(() => checkAnswer('GET', '/v1/limits', answer)).not.toThrow();
    expect(() => checkAnswer('GET', '/v1/forecast', answer)).not.toThrow();
  });

  test('fails with a member that is unknown, missing or of another type', async () => {
    const { body, ...answer } = await limits();
    const check = (changes: object) => () =>
      checkAnswer('GET', '/v1/limits', { ...answer, body: { ...body, ...changes } });
    expect(check({ extra: 1 })).toThrow('getLimits 200: data must NOT have additional properties');
    expect(check({ data: { ...body.data, extra: 1 } })).toThrow('additional properties');
    expect(check({ data: {} })).toThrow("must have required property 'requests_per_minute'");
    expect(check({ request_id: 1 })).toThrow('data/request_id must be string');
  });

  test('fails with a status, body or header that is not declared', async () => {
    const { body } = await limits();
    const check = (method: string, path: string, status: number, sent: unknown, h = headers) => {
      return () => checkAnswer(method, path, { status, headers: h, body: sent });
    };
    expect(check('GET', '/v1/limits', 201, body)).toThrow('getLimits 201 is not declared');
    expect(check('GET', '/v1/limits', 404, body)).toThrow('getLimits 404 is not declared');
    expect(check('DELETE', '/v1/posts/post_1', 204, {})).toThrow('declares no body');
    expect(check('DELETE', '/v1/posts/post_1', 204, undefined)).not.toThrow();
    expect(check('GET', '/v1/limits', 200, body, new Headers())).toThrow('X-Request-Id is missing');
    const strange = new Headers({ 'X-Request-Id': 'req_1', 'RateLimit-Limit': 'many' });
    expect(check('GET', '/v1/limits', 200, body, strange)).toThrow('RateLimit-Limit is not valid');
    expect(check('GET', '/v1/limits', 503, {})).toThrow("must have required property 'error'");
  });

  test('fails with data of no event type', () => {
    const { sample } = eventCatalogue['account.disconnected'];
    const event = {
      id: 'evt_1',
      event: 'account.disconnected',
      timestamp: '2026-01-31T12:00:00.000Z',
      post_id: null,
      social_account_id: 'sa_1',
      test: false,
    };
    const check = (data: object) => () =>
      checkAnswer('GET', '/v1/events/evt_1', {
        status: 200,
        headers,
        body: { data: { ...event, data }, request_id: 'req_1' },
      });
    expect(check(sample)).not.toThrow();
    expect(check({ ...sample, extra: 1 })).toThrow('getEvent 200');
  });
});

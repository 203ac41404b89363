// Headers that protect browsers are on every answer.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { setSecurityHeaders } from '../../../api/server/security-headers.ts';
import { useApp } from '../../support/app/app.ts';

const app = useApp({ roles: { api: true, worker: false } });
const worker = useApp({ roles: { api: false, worker: true } });

const read = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });

describe('an answer', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/docs'],
    ['GET', '/graphql'],
    ['POST', '/graphql'],
    ['GET', '/v1/posts'],
    ['GET', '/v1/openapi.json'],
    ['GET', '/v1/nothing'],
    ['DELETE', '/v1/posts'],
    ['OPTIONS', '/v1/posts'],
    ['GET', '/healthz'],
    ['GET', '/metrics'],
    ['GET', '/connect/cs_unknown'],
    ['GET', '/connect/callback'],
    ['GET', '/sandbox/posts'],
    ['GET', '/sandbox/inbox/any'],
    ['PUT', '/uploads/med_unknown'],
    ['GET', '/nothing'],
  ])('names its type and stays out of frames: %s %s', async (method, path) => {
    const { headers } = await read(`${app.url}${path}`, { method });
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('Strict-Transport-Security')).toBeNull();
  });

  test('has the same headers if the worker sends it', async () => {
    const { headers } = await read(`${worker.probesUrl}/healthz`);
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  });

  test('requires https if clients see https', () => {
    const answer = new ServerResponse(new IncomingMessage(new Socket()));
    setSecurityHeaders(answer, 'https://fanfare.test');
    expect(answer.getHeader('Strict-Transport-Security')).toBe('max-age=31536000');
  });
});

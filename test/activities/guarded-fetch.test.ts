// The guarded fetch for connectors that are given a host.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createClient, resolvingTo, startHttp } from '../support/peers.ts';

describe('fetch', () => {
  test('sends forms as the ordinary fetch does', async () => {
    const peer = await startHttp(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      response.end(`${request.headers['content-type']?.split(';')[0]} ${text.includes('hello')}`);
    });
    const form = new FormData();
    form.set('file', new Blob(['hello']), 'a.txt');
    const answer = await createClient().fetch(peer.url, { method: 'POST', body: form });
    expect(await answer.text()).toBe('multipart/form-data true');
  });

  test('refuses what the guard refuses', async () => {
    const peer = await startHttp((_request, response) => response.end());
    const { fetch } = createClient({ allowed: [], lookup: resolvingTo('127.0.0.1') });
    const cause = { cause: { code: 'blocked_address' } };
    await expect(fetch(`https://hook.test:${peer.port}/`)).rejects.toMatchObject(cause);
    await expect(fetch(new URL('https://10.0.0.1/'))).rejects.toMatchObject(cause);
    await expect(fetch(new Request('https://[::1]/'))).rejects.toMatchObject(cause);
    await expect(fetch('https://a:b@example.com/')).rejects.toMatchObject({
      code: 'blocked_address',
    });
    expect(peer.connections).toBe(0);
  });

  test('hands a redirect back', async () => {
    const peer = await startHttp((_request, response) => {
      response.writeHead(302, { Location: '/other' }).end();
    });
    const answer = await createClient().fetch(peer.url, { redirect: 'follow' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/other']);
  });

  test('refuses an answer that is packed unasked', async () => {
    const peer = await startHttp((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('hello'));
    });
    await expect(createClient().fetch(peer.url)).rejects.toThrow(/gzip/);
  });

  test('ends a body that is too long or too slow', async () => {
    const long = await startHttp((_request, response) => response.end('x'.repeat(5_000)));
    const { fetch } = createClient({ fetchMaxBytes: 1_000, fetchDeadlineMs: 200 });
    await expect(fetch(long.url).then((answer) => answer.text())).rejects.toThrow();
    const slow = await startHttp((_request, response) => response.write('x'));
    await expect(fetch(slow.url).then((answer) => answer.text())).rejects.toThrow(/timeout/);
  });
});

// The guarded fetch for connectors that are given a host.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fetchFor } from '../../../activities/egress/guarded-fetch.ts';
import { createClient, resolvingTo, startHttp } from '../../support/receivers/peers.ts';

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
    await expect(fetch(`https://hook.test:${peer.port}/`)).rejects.toMatchObject({
      cause: { code: 'ENOTFOUND' },
    });
    const cause = { cause: { code: 'blocked_address' } };
    await expect(fetch(new URL('https://10.0.0.1/'))).rejects.toMatchObject(cause);
    await expect(fetch(new Request('https://[::1]/'))).rejects.toMatchObject(cause);
    await expect(fetch('https://a:b@example.com/')).rejects.toMatchObject({
      code: 'blocked_address',
    });
    expect(peer.connections).toBe(0);
  });

  test('counts lookups for the project that the work is done for', async () => {
    const owners: string[] = [];
    const { fetch } = createClient({
      lookup: (_hostname, owner) => {
        owners.push(owner);
        return Promise.reject(new Error('None.'));
      },
    });
    const ask = (host: string) => fetch(`https://${host}/`).catch(() => undefined);
    await Promise.all([
      fetchFor('prj_1', () => ask('one.test')),
      fetchFor('prj_2', () => ask('two.test')),
    ]);
    await ask('three.test');
    expect(owners.toSorted()).toEqual(['', 'prj_1', 'prj_2']);
  });

  test('lets no project wait for the connections of another to the same origin', async () => {
    let requests = 0;
    const peer = await startHttp((_request, response) => {
      if (++requests > 1) response.end('ok');
    });
    const { fetch } = createClient({ connectionsPerOrigin: 1, fetchDeadlineMs: 2_000 });
    const hanging = fetchFor('prj_1', () => fetch(peer.url)).catch((error: Error) => error.name);
    await expect.poll(() => requests).toBe(1);
    const startedAt = performance.now();
    const answer = await fetchFor('prj_2', () => fetch(peer.url));
    expect(await answer.text()).toBe('ok');
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    expect(await hanging).toBe('TimeoutError');
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

// The guarded fetch for connectors with a host from a user.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { asProject } from '../../../activities/current-project.ts';
import { createClient, resolvingTo, startHttp } from '../../support/receivers/loopback.ts';

describe('fetch', () => {
  test('sends forms like the ordinary fetch', async () => {
    const server = await startHttp(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += String(chunk);
      response.end(`${request.headers['content-type']?.split(';')[0]} ${text.includes('hello')}`);
    });
    const form = new FormData();
    form.set('file', new Blob(['hello']), 'a.txt');
    const answer = await createClient().fetch(server.url, { method: 'POST', body: form });
    expect(await answer.text()).toBe('multipart/form-data true');
  });

  test('refuses URLs that the guard refuses', async () => {
    const server = await startHttp((_request, response) => response.end());
    const { fetch } = createClient({ allowed: [], lookup: resolvingTo('127.0.0.1') });
    await expect(fetch(`https://hook.test:${server.port}/`)).rejects.toMatchObject({
      cause: { code: 'ENOTFOUND' },
    });
    const cause = { cause: { code: 'blocked_address' } };
    await expect(fetch(new URL('https://10.0.0.1/'))).rejects.toMatchObject(cause);
    await expect(fetch(new Request('https://[::1]/'))).rejects.toMatchObject(cause);
    await expect(fetch('https://a:b@example.com/')).rejects.toMatchObject({
      code: 'blocked_address',
    });
    expect(server.connections).toBe(0);
  });

  test('looks names up on behalf of the project that asProject sets', async () => {
    const owners: string[] = [];
    const { fetch } = createClient({
      lookup: (_hostname, owner) => {
        owners.push(owner);
        return Promise.reject(new Error('None.'));
      },
    });
    const ask = (host: string) => fetch(`https://${host}/`).catch(() => undefined);
    await Promise.all([
      asProject('prj_1', () => ask('one.test')),
      asProject('prj_2', () => ask('two.test')),
    ]);
    await ask('three.test');
    expect(owners.toSorted()).toEqual(['', 'prj_1', 'prj_2']);
  });

  test("does not let a project wait for another project's connections to the same origin", async () => {
    let requests = 0;
    const server = await startHttp((_request, response) => {
      if (++requests > 1) response.end('ok');
    });
    const { fetch } = createClient({ connectionsPerOrigin: 1, fetchDeadlineMs: 2_000 });
    let isHanging = true;
    const hanging = asProject('prj_1', () => fetch(server.url))
      .catch((error: Error) => error.name)
      .finally(() => (isHanging = false));
    await expect.poll(() => requests).toBe(1);
    const answer = await asProject('prj_2', () => fetch(server.url));
    expect(await answer.text()).toBe('ok');
    expect(isHanging).toBe(true);
    expect(await hanging).toBe('TimeoutError');
  });

  test('returns a redirect', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(302, { Location: '/other' }).end();
    });
    const answer = await createClient().fetch(server.url, { redirect: 'follow' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/other']);
  });

  test('refuses a compressed response that was not requested', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('hello'));
    });
    await expect(createClient().fetch(server.url)).rejects.toThrow(/gzip/);
  });

  test('fails on a body that is too long or too slow', async () => {
    const long = await startHttp((_request, response) => response.end('x'.repeat(5_000)));
    const { fetch } = createClient({ fetchMaxBytes: 1_000, fetchDeadlineMs: 200 });
    await expect(fetch(long.url).then((answer) => answer.text())).rejects.toThrow();
    const slow = await startHttp((_request, response) => response.write('x'));
    await expect(fetch(slow.url).then((answer) => answer.text())).rejects.toThrow(/timeout/);
  });
});

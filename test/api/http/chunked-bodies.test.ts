// Bodies without a Content-Length, at the hosted pages and at the sandbox: real HTTP.
import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { createBrowser, formStateOf } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';

const app = useApp({ roles: { api: true, worker: false } });

const formType = 'application/x-www-form-urlencoded';

/** `Transfer-Encoding: chunked`. */
function chunked(text: string, type: string, headers: Record<string, string> = {}) {
  const parts = [text.slice(0, 5), text.slice(5)].map((part) => new TextEncoder().encode(part));
  return {
    method: 'POST',
    headers: { ...headers, 'Content-Type': type },
    body: ReadableStream.from(parts),
    duplex: 'half',
    redirect: 'manual',
  } as RequestInit;
}

const chunkedForm = (values: Record<string, string>) =>
  chunked(new URLSearchParams(values).toString(), formType);

async function openForm() {
  const body = { platform: 'sandbox', external_user_id: 'user-1' };
  const session = (await app.api.post('/v1/connect/sessions', body)).body.data;
  const browser = createBrowser();
  const page = await browser.visit(session.url);
  return { browser, url: page.url, state: formStateOf(page), id: session.id };
}

describe('the form of a session', () => {
  test('is read', async () => {
    const { browser, url, state, id } = await openForm();
    const answer = await browser.request(url, chunkedForm({ state, decision: 'cancel' }));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('Your account was not connected.');
    const read = await app.api.get(`/v1/connect/sessions/${id}`);
    expect(read.body.data.status).toBe('canceled');
  });

  test.each([
    ['too large', 'state=', 413, 'The request is too large.'],
    ['not a form', '--b\r\nnothing', 400, 'The form could not be read.'],
  ])('says on a page of the session that the body is %s', async (_, text, status, words) => {
    const { browser, url } = await openForm();
    const padded = status === 413 ? text.padEnd(65_537, 'x') : text;
    const type = status === 413 ? formType : 'multipart/form-data; boundary=a';
    const answer = await browser.request(url, chunked(padded, type));
    const html = await answer.text();
    expect(answer.status).toBe(status);
    expect(html).toContain(words);
    expect(html).toContain('Your Sandbox account could not be connected');
  });
});

describe('the sandbox', () => {
  test('reads the form of its consent page', async () => {
    const { browser, url } = await openForm();
    const consent = await beginConsent(browser, url);
    const { searchParams } = new URL(consent.url);
    const values = { ...Object.fromEntries(searchParams), handle: 'ada', decision: 'allow' };
    const answer = await fetch(`${app.url}/sandbox/consent`, chunkedForm(values));
    expect(answer.status).toBe(303);
    expect(answer.headers.get('Location')).toContain('code=');
  });

  test('keeps a webhook in its inbox', async () => {
    const path = `${app.url}/sandbox/inbox/chunked`;
    expect((await fetch(path, chunked('{"n":1}', 'application/json'))).status).toBe(200);
    const kept = (await (await fetch(path)).json()) as { data: { body: string }[] };
    expect(kept.data.map(({ body }) => body)).toEqual(['{"n":1}']);
  });

  test('refuses a body that is too large', async () => {
    const text = '"'.padEnd(1_048_577, 'x');
    const answer = await fetch(`${app.url}/sandbox/api/token`, chunked(text, 'application/json'));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { code: 'too_large' } });
  });
});

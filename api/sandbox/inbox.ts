// The inbox: a built-in webhook receiver that shows the requests it gets and fails on demand.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type Context as HonoContext } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { maxSandboxDelayMs } from '../../schema/platforms/sandbox.ts';
import { page } from '../http/pages/page.ts';
import type { Html } from '../http/pages/prose.ts';
import { createInboxStore, type Inbox, type ReceivedRequest } from './inbox-store.ts';
import { Refusal } from './refusal.ts';

const Name = z.string().regex(/^[\w.-]{1,64}$/);

/**
 * `?fail=2&status=503&delay_ms=500` fails the first two requests of every delivery. Without `fail`, all fail.
 */
const FailureOptions = z.object({
  fail: z.coerce.number().int().min(0).max(1_000).optional(),
  status: z.coerce.number().int().min(200).max(599).optional(),
  delay_ms: z.coerce.number().int().min(0).max(maxSandboxDelayMs).default(0),
});

const maxDeliveryIdBytes = 128;

const Secret = z.string().trim().min(1).max(256);

export function createInbox(): Hono {
  const store = createInboxStore();
  const app = new Hono();

  app.get('/', async (c) => {
    const names = store.names();
    return wantsPage(c) ? await showInboxes(names) : c.json({ data: names });
  });

  app.post('/:name', async (c) => {
    const inbox = store.open(readName(c));
    const { status, delayMs } = readAnswer(c, inbox);
    inbox.keep({
      received_at: new Date().toISOString(),
      path: new URL(c.req.url).pathname + new URL(c.req.url).search,
      headers: readHeaders(c),
      body: await c.req.text(),
      status,
    });
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    // 204, 205 and 304 must not have a body.
    const body = [204, 205, 304].includes(status) ? null : JSON.stringify({ received: true });
    return new Response(body, { status, headers: { 'Content-Type': 'application/json' } });
  });

  app.get('/:name', async (c) => {
    const name = readName(c);
    const inbox = store.find(name);
    const secret = c.req.query('secret') ?? inbox?.secret;
    const requests = (inbox?.requests ?? []).map((request) => ({
      ...request,
      signature_holds: secret === undefined ? null : areSignaturesValid(request, secret),
    }));
    return wantsPage(c) ? await showInbox(name, requests) : c.json({ data: requests });
  });

  app.delete('/:name', (c) => {
    store.delete(readName(c));
    return c.body(null, 204);
  });

  app.post('/:name/clear', (c) => {
    const name = readName(c);
    store.delete(name);
    return c.redirect(`/sandbox/inbox/${name}`, 303);
  });

  /** The secret stays in memory and only checks signatures. */
  app.put('/:name/secret', async (c) => {
    const body = z.object({ secret: Secret }).safeParse(await c.req.json().catch(() => null));
    if (!body.success) throw new Refusal(422, 'invalid_request', 'Send {"secret": "whsec_…"}.');
    store.open(readName(c)).secret = body.data.secret;
    return c.body(null, 204);
  });

  app.post('/:name/secret', async (c) => {
    const name = readName(c);
    store.open(name).secret = Secret.safeParse((await c.req.parseBody())['secret']).data;
    return c.redirect(`/sandbox/inbox/${name}`, 303);
  });

  return app;
}

/** Without the cookie, since anyone may read an inbox. */
function readHeaders(c: HonoContext): Record<string, string> {
  const { cookie: _, ...headers } = Object.fromEntries(c.req.raw.headers);
  return headers;
}

function readName(c: HonoContext): string {
  const name = Name.safeParse(c.req.param('name'));
  if (!name.success) {
    const message =
      'The name of an inbox must have 1 to 64 letters, digits, dots, dashes or underscores.';
    throw new Refusal(404, 'not_found', message);
  }
  return name.data;
}

function readAnswer(c: HonoContext, inbox: Inbox): { status: number; delayMs: number } {
  const asked = FailureOptions.safeParse(c.req.query());
  if (!asked.success) {
    const path = asked.error.issues[0]?.path.join('.');
    throw new Refusal(422, 'invalid_request', `${path}: must be a number in the allowed range`);
  }
  const { fail, status, delay_ms: delayMs } = asked.data;
  if (fail === undefined) return { status: status ?? 200, delayMs };
  const deliveryId = c.req.header('X-Service-Delivery') ?? '';
  if (Buffer.byteLength(deliveryId) > maxDeliveryIdBytes) {
    const message = `X-Service-Delivery: must have at most ${maxDeliveryIdBytes} bytes`;
    throw new Refusal(422, 'invalid_request', message);
  }
  const isFailing = inbox.count(deliveryId) <= fail;
  return isFailing ? { status: status ?? 503, delayMs } : { status: 200, delayMs: 0 };
}

function wantsPage(c: HonoContext): boolean {
  const isHtml = c.req.header('Accept')?.includes('text/html') ?? false;
  return isHtml && c.req.query('format') !== 'json';
}

/** Requires a valid `X-Service-Signature`, and a valid `webhook-signature` if there is one. */
function areSignaturesValid({ headers, body }: ReceivedRequest, secret: string): boolean {
  const own = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  if (!isSame(headers['x-service-signature'] ?? '', own)) return false;
  const standard = headers['webhook-signature'];
  if (standard === undefined) return true;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return standard.split(' ').some((signature) => isSame(signature, expected));
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

interface ShownRequest extends ReceivedRequest {
  /** Null: the inbox has no secret to check with. */
  signature_holds: boolean | null;
}

const refreshAfterS = 10;

function showInboxes(names: string[]): Promise<Response> {
  return page(
    'Inboxes',
    names.length > 0
      ? html`<ul>
          ${names.map((name) => html`<li><a href="/sandbox/inbox/${name}">${name}</a></li>`)}
        </ul>`
      : html`<p>No webhooks yet. Send one to <code>/sandbox/inbox/demo</code>.</p>`,
  );
}

function showInbox(name: string, requests: ShownRequest[]): Promise<Response> {
  const isChecked = requests.some((request) => request.signature_holds !== null);
  return page(
    `Inbox ${name}`,
    html`<p class="quiet">
        ${requests.length === 0 ? 'No requests yet.' : `${requests.length} requests, newest first.`}
      </p>
      <form method="post" action="/sandbox/inbox/${name}/secret">
        <label for="secret">Signing secret</label>
        <input id="secret" name="secret" type="password" placeholder="whsec_…" autocomplete="off" />
        <button class="first">Check signatures</button>
      </form>
      <form method="post" action="/sandbox/inbox/${name}/clear"><button>Clear</button></form>
      ${requests.map(showRequest)}`,
    // A reload would clear a secret that is being typed.
    isChecked ? { refreshAfterS } : {},
  );
}

function showRequest(request: ShownRequest): Html {
  const { received_at, path, headers, body, status } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return html`<article>
    <h2>${headers['x-service-event'] ?? 'Request'} · response ${status}</h2>
    <p class="quiet">
      <time datetime="${received_at}">${received_at}</time> ${describeSignature(request)}
    </p>
    <pre>${indented(body)}</pre>
    <details>
      <summary>Request</summary>
      <pre>${`POST ${path}\n${lines.join('\n')}\n\n${body}`}</pre>
    </details>
  </article>`;
}

function describeSignature({ signature_holds }: ShownRequest): string {
  if (signature_holds === null) return '';
  return signature_holds ? '· signature valid' : '· SIGNATURE INVALID';
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

// The inbox: a receiver of webhooks that needs no server of one's own, shows them, and fails on demand.
import { setTimeout as sleep } from 'node:timers/promises';
import { Hono, type Context as HonoContext } from 'hono';
import { z } from 'zod';
import { maxSandboxDelayMs } from '../../schema/platforms/sandbox.ts';
import { showInbox, showInboxes } from './inbox-pages.ts';
import { doSignaturesHold } from './inbox-signature.ts';
import { createInboxStore, type Inbox } from './inbox-store.ts';
import { Refusal } from './refusal.ts';

const Name = z.string().regex(/^[\w.-]{1,64}$/);

/** `?fail=2&status=503&delay_ms=500`: the first two requests of every delivery. Without `fail`: all. */
const Misbehaviour = z.object({
  fail: z.coerce.number().int().min(0).max(1_000).optional(),
  status: z.coerce.number().int().min(200).max(599).optional(),
  delay_ms: z.coerce.number().int().min(0).max(maxSandboxDelayMs).default(0),
});

const maxDeliveryIdBytes = 128;

const Secret = z.string().trim().min(1).max(256);

export function createInbox(): Hono {
  const store = createInboxStore();
  const app = new Hono();

  app.get('/', (c) => {
    const names = store.names();
    return wantsPage(c) ? showInboxes(names) : c.json({ data: names });
  });

  app.post('/:name', async (c) => {
    const inbox = store.open(readName(c));
    const { status, delayMs } = readAnswer(c, inbox);
    inbox.keep({
      received_at: new Date().toISOString(),
      path: new URL(c.req.url).pathname + new URL(c.req.url).search,
      headers: Object.fromEntries(c.req.raw.headers),
      body: await c.req.text(),
      status,
    });
    if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
    // 204, 205 and 304 must not have a body.
    const body = [204, 205, 304].includes(status) ? null : JSON.stringify({ received: true });
    return new Response(body, { status, headers: { 'Content-Type': 'application/json' } });
  });

  app.get('/:name', (c) => {
    const name = readName(c);
    const inbox = store.find(name);
    const secret = c.req.query('secret') ?? inbox?.secret;
    const requests = (inbox?.requests ?? []).map((request) => ({
      ...request,
      signature_holds: secret === undefined ? null : doSignaturesHold(request, secret),
    }));
    return wantsPage(c) ? showInbox(name, requests) : c.json({ data: requests });
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

  /** Kept in memory only, to check signatures with. */
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

function readName(c: HonoContext): string {
  const name = Name.safeParse(c.req.param('name'));
  if (!name.success) {
    const message = 'An inbox is named with 1 to 64 letters, digits, dots, dashes or lines.';
    throw new Refusal(404, 'not_found', message);
  }
  return name.data;
}

function readAnswer(c: HonoContext, inbox: Inbox): { status: number; delayMs: number } {
  const asked = Misbehaviour.safeParse(c.req.query());
  if (!asked.success) {
    const path = asked.error.issues[0]?.path.join('.');
    throw new Refusal(422, 'invalid_request', `${path}: is not a number that the inbox takes`);
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

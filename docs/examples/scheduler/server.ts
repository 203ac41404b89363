// A small scheduler on Fanfare: connect accounts, upload, schedule, receive signed webhooks, watch live.
import {
  Fanfare,
  FanfareError,
  type PostUpdate,
  type WebhookMessage,
} from '@fanfare-publishing/client';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { streamSSE } from 'hono/streaming';
import { postsPage } from './page.ts';

const { PORT = '3000', NETWORK = 'sandbox' } = process.env;
const origin = process.env['ORIGIN'] ?? `http://127.0.0.1:${PORT}`;
/** Who connects accounts. Your own app takes it from its login. */
const user = 'scheduler-user';
const fanfare = new Fanfare();

// The secret is shown only once, so each start makes a new webhook.
for await (const webhook of fanfare.webhooks.list()) {
  if (webhook.name === 'scheduler') await fanfare.webhooks.delete(webhook.id);
}
const { secret } = await fanfare.webhooks.create({
  name: 'scheduler',
  url: `${origin}/hook`,
  events: ['post.published', 'post.partial', 'post.failed'],
});

/** What was received, by the ID of the event, which a repeat has too. Your own app keeps it in a table. */
const received = new Map<string, WebhookMessage>();
const watchers = new Set<(update: PostUpdate) => void>();
void (async () => {
  for await (const update of fanfare.live.posts()) for (const watch of watchers) watch(update);
})();

const app = new Hono();
app.use(csrf({ origin }));

app.get('/', async (c) => c.html(await page()));

async function page(problems: string[] = [], caption = '') {
  const mine = { external_user_id: user };
  const [accounts, posts] = await Promise.all([
    fanfare.accounts.list({ ...mine, status: 'active' }),
    fanfare.posts.list(mine),
  ]);
  return postsPage(accounts.data, posts.data, [...received.values()], problems, caption);
}

app.post('/connect', async (c) => {
  const session = { platform: NETWORK as 'sandbox', external_user_id: user, return_url: origin };
  const { url } = await fanfare.connect.createSession(session);
  return c.redirect(url!);
});

app.post('/posts', async (c) => {
  const form = await c.req.formData();
  const texts = (name: string) => form.getAll(name).filter((value) => typeof value === 'string');
  const text = (name: string) => texts(name).join();
  const file = form.get('file');
  try {
    const media = file instanceof File && file.size > 0 ? [await fanfare.media.upload(file)] : [];
    const post = {
      caption: text('caption'),
      account_ids: texts('account'),
      media: media.map(({ id }) => ({ id, alt_text: text('alt') })),
      schedule: { local: text('time'), timezone: text('zone') },
    };
    await fanfare.posts.create(post, { idempotencyKey: text('key') });
  } catch (error) {
    // The user can correct neither the app's own key nor a failure of Fanfare.
    if (!(error instanceof FanfareError) || !error.status || error.status >= 500) throw error;
    if (['unauthorized', 'insufficient_scope'].includes(error.code)) throw error;
    // A form that is sent twice makes one post. Its second upload has another ID, hence the conflict.
    if (error.code !== 'idempotency_conflict') {
      const issues = error.issues.map(({ path, message }) => `${path}: ${message}`);
      const problems = issues.length > 0 ? issues : [error.message];
      return c.html(await page(problems, text('caption')), error.status as 422);
    }
  }
  return c.redirect('/', 303);
});

app.post('/hook', async (c) => {
  try {
    const message = await fanfare.webhooks.verify(await c.req.text(), c.req.raw.headers, [secret]);
    received.set(c.req.header('webhook-id')!, message);
    return c.body(null, 204);
  } catch {
    return c.body(null, 401);
  }
});

app.get('/live', (c) =>
  streamSSE(c, async (stream) => {
    const watch = (update: PostUpdate) => void stream.writeSSE({ data: JSON.stringify(update) });
    watchers.add(watch);
    await new Promise<void>((resolve) => stream.onAbort(resolve));
    watchers.delete(watch);
  }),
);

app.onError((error, c) =>
  error instanceof HTTPException ? error.getResponse() : c.text(error.message, 500),
);
serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, () =>
  console.log(`Open ${origin}`),
);

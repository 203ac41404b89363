// The sandbox network's consent page: the user enters a handle and allows or denies access.
import { Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import type { Db } from '../../schema/database/tables.ts';
import { SandboxHandle } from '../../schema/platforms/sandbox.ts';
import { page } from '../http/pages/page.ts';
import { grantCode } from './tokens.ts';

interface ConsentSettings {
  db: Db;
  publicUrl: string;
}

const Request = z.object({ state: z.string().min(1).max(1_024), callback_url: z.string() });

export function createConsent({ db, publicUrl }: ConsentSettings): Hono {
  const app = new Hono();

  app.get('/', (c) => {
    const request = Request.safeParse(c.req.query());
    if (!request.success || !isCallback(request.data.callback_url)) return badRequest();
    return consentPage(request.data);
  });

  app.post('/', async (c) => {
    const form = await c.req.parseBody().catch((): Record<string, string> => ({}));
    const request = Request.safeParse(form);
    if (!request.success || !isCallback(request.data.callback_url)) return badRequest();
    const { state, callback_url } = request.data;
    const callback = new URL(callback_url);
    callback.searchParams.set('state', state);
    if (form['decision'] !== 'allow') {
      callback.searchParams.set('error', 'access_denied');
      return c.redirect(callback.href, 303);
    }
    const handle = SandboxHandle.safeParse(form['handle']);
    if (!handle.success) {
      const typed = typeof form['handle'] === 'string' ? form['handle'] : '';
      return consentPage(request.data, typed, handle.error.issues[0]?.message);
    }
    callback.searchParams.set('code', await grantCode(db, handle.data));
    return c.redirect(callback.href, 303);
  });

  /** Whether the URL is at this Fanfare. Other URLs would make this page an open redirect. */
  function isCallback(url: string): boolean {
    return URL.parse(url)?.origin === new URL(publicUrl).origin;
  }
  return app;
}

function consentPage(
  request: z.infer<typeof Request>,
  typed = '',
  issue?: string,
): Promise<Response> {
  return page(
    'Allow posting to the sandbox?',
    html`<p>An application asks to post to the sandbox network on your behalf.</p>
      <form method="post" action="/sandbox/consent">
        <input type="hidden" name="state" value="${request.state}" />
        <input type="hidden" name="callback_url" value="${request.callback_url}" />
        <label for="handle">Your handle</label>
        ${issue !== undefined && html`<p role="alert">The handle ${issue}.</p>`}
        <input id="handle" name="handle" value="${typed}" placeholder="ada" autocomplete="off" />
        <p class="quiet">Enter any name. The sandbox has no passwords.</p>
        <button class="first" name="decision" value="allow">Allow</button>
        <button name="decision" value="deny">Deny</button>
      </form>`,
    { status: issue === undefined ? 200 : 422, isFormLeaving: true },
  );
}

function badRequest(): Promise<Response> {
  return page(
    'This request is not valid',
    html`<p>The address has no state, or its callback does not belong to this server.</p>`,
    { status: 400 },
  );
}

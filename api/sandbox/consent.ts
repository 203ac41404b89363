// The sandbox network's consent page: whoever sits there says which handle they are, and yes or no.
import { Hono } from 'hono';
import { z } from 'zod';
import type { Db } from '../../schema/database/tables.ts';
import { SandboxHandle } from '../../schema/platforms/sandbox.ts';
import { html, page } from '../http/pages.ts';
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

  /** Its one client is the Fanfare that it is part of; any other would make this an open redirect. */
  function isCallback(url: string): boolean {
    return URL.parse(url)?.origin === new URL(publicUrl).origin;
  }
  return app;
}

function consentPage(request: z.infer<typeof Request>, typed = '', fault?: string): Response {
  return page(
    'Sandbox: allow posting?',
    html`<p>An application asks to post to the sandbox network on your behalf.</p>
      <form method="post" action="/sandbox/consent">
        <input type="hidden" name="state" value="${request.state}" />
        <input type="hidden" name="callback_url" value="${request.callback_url}" />
        <label for="handle">Your handle</label>
        ${fault !== undefined && html`<p role="alert">The handle ${fault}.</p>`}
        <input id="handle" name="handle" value="${typed}" placeholder="ada" autocomplete="off" />
        <p class="quiet">Any name will do; there is no password here.</p>
        <button class="first" name="decision" value="allow">Allow</button>
        <button name="decision" value="deny">Deny</button>
      </form>`,
    { status: fault === undefined ? 200 : 422, isFormLeaving: true },
  );
}

function badRequest(): Response {
  return page(
    'This request is not valid',
    html`<p>
      The address lacks a state, or a callback of the application that the sandbox knows.
    </p>`,
    { status: 400 },
  );
}

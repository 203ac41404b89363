// The pages of the inbox.
import { html } from 'hono/html';
import { page, type Html } from '../http/pages.ts';
import type { ReceivedRequest } from './inbox-store.ts';

export interface ShownRequest extends ReceivedRequest {
  /** Null: the inbox has no secret to check with. */
  signature_holds: boolean | null;
}

const refreshAfterS = 10;

export function showInboxes(names: string[]): Promise<Response> {
  return page(
    'Inboxes',
    names.length > 0
      ? html`<ul>
          ${names.map((name) => html`<li><a href="/sandbox/inbox/${name}">${name}</a></li>`)}
        </ul>`
      : html`<p>No webhooks yet. Send one to <code>/sandbox/inbox/demo</code>.</p>`,
  );
}

export function showInbox(name: string, requests: ShownRequest[]): Promise<Response> {
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
    <p class="quiet"><time datetime="${received_at}">${received_at}</time> ${verdict(request)}</p>
    <pre>${indented(body)}</pre>
    <details>
      <summary>Request</summary>
      <pre>${`POST ${path}\n${lines.join('\n')}\n\n${body}`}</pre>
    </details>
  </article>`;
}

function verdict({ signature_holds }: ShownRequest): string {
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

// The inbox as a browser sees it.
import { html, page, type Html } from '../http/pages.ts';
import type { ReceivedRequest } from './inbox-store.ts';

export interface ShownRequest extends ReceivedRequest {
  /** Null: no secret is known to check with. */
  signature_holds: boolean | null;
}

const refreshAfterS = 10;

export function showInboxes(names: string[]): Response {
  return page(
    'Inboxes',
    names.length > 0
      ? html`<ul>
          ${names.map((name) => html`<li><a href="/sandbox/inbox/${name}">${name}</a></li>`)}
        </ul>`
      : html`<p>No webhook has arrived yet. Send one to <code>/sandbox/inbox/demo</code>.</p>`,
  );
}

export function showInbox(name: string, requests: ShownRequest[]): Response {
  const isChecked = requests.some((request) => request.signature_holds !== null);
  return page(
    `Inbox ${name}`,
    html`<p class="quiet">
        ${requests.length === 0 ? 'Nothing has arrived yet.' : `${requests.length} requests, newest first.`}
      </p>
      <form method="post" action="/sandbox/inbox/${name}/secret">
        <label for="secret">Signing secret</label>
        <input id="secret" name="secret" type="password" placeholder="whsec_…" autocomplete="off" />
        <button class="first">Check signatures</button>
      </form>
      <form method="post" action="/sandbox/inbox/${name}/clear"><button>Clear</button></form>
      ${requests.map(showRequest)}`,
    // Not before the secret has been typed: a reload would take it away.
    isChecked ? { refreshAfterS } : {},
  );
}

function showRequest(request: ShownRequest): Html {
  const { received_at, path, headers, body, status } = request;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return html`<article>
    <h2>${headers['x-service-event'] ?? 'A request'} · answered ${status}</h2>
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
  return signature_holds ? '· the signature holds' : '· THE SIGNATURE DOES NOT HOLD';
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

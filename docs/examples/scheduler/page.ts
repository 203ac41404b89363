// The page: the accounts, a form for a new post, and the posts with their live status.
import { randomUUID } from 'node:crypto';
import type { Schemas, WebhookMessage } from '@fanfare-publishing/client';
import { html } from 'hono/html';

export function postsPage(
  accounts: Schemas['Account'][],
  posts: Schemas['Post'][],
  received: WebhookMessage[],
  problems: string[],
  caption: string,
) {
  return html`<!doctype html>
    <html lang="en">
      <title>Scheduler</title>
      <h1>Scheduler</h1>
      ${problems.map((problem) => html`<p role="alert">${problem}</p>`)}
      <form method="post" action="/connect"><button>Connect an account</button></form>
      <form method="post" action="/posts" enctype="multipart/form-data">
        <input type="hidden" name="key" value="${randomUUID()}" />
        <input type="hidden" name="zone" value="UTC" />
        ${accounts.map(
          ({ id, platform, account_name }) =>
            html`<label>
              <input type="checkbox" name="account" value="${id}" checked />
              ${account_name} (${platform})
            </label>`,
        )}
        <p><textarea name="caption" required placeholder="Text">${caption}</textarea></p>
        <p>
          <input type="file" name="file" accept="image/*,video/*" />
          <input name="alt" placeholder="What the picture shows" />
        </p>
        <p>
          <input type="datetime-local" name="time" step="1" required /> <button>Schedule</button>
        </p>
      </form>
      <h2>Posts</h2>
      <ul id="posts">
        ${posts.map(
          ({ id, caption, status }) =>
            html`<li data-id="${id}"><span>${caption}</span> <b>${status}</b></li>`,
        )}
      </ul>
      <h2>Webhooks</h2>
      <ul>
        ${received.map(({ event, timestamp }) => html`<li>${timestamp} ${event}</li>`)}
      </ul>
      <script>
        // The time that a person enters is that of the browser's zone.
        document.querySelector('[name=zone]').value =
          Intl.DateTimeFormat().resolvedOptions().timeZone;
        new EventSource('/live').onmessage = ({ data }) => {
          const { post_id, post } = JSON.parse(data);
          const shown = document.querySelector('[data-id="' + post_id + '"] b');
          if (shown) shown.textContent = post ? post.status : 'deleted';
        };
      </script>
    </html>`;
}

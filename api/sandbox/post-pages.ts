// The sandbox network's pages, which show its posts.
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Db, SandboxPostRow } from '../../schema/database/tables.ts';
import {
  findSandboxPost,
  listSandboxPosts,
  listSandboxReplies,
} from '../../schema/database/sandbox.ts';
import { SandboxHandle } from '../../schema/platforms/sandbox.ts';
import { page, type Html } from '../http/pages.ts';

const shown = 100;

export function createPostPages({ db }: { db: Db }): Hono {
  const app = new Hono();

  app.get('/', async (c) => {
    const asked = c.req.query('handle');
    const handle = asked === undefined ? undefined : SandboxHandle.safeParse(asked).data;
    if (handle === undefined && asked !== undefined) return noSuch('handle');
    const posts = await listSandboxPosts(db, { handle }, shown);
    return page(
      handle === undefined ? 'Sandbox posts' : `Sandbox posts of @${handle}`,
      posts.length > 0
        ? html`<p class="quiet">The newest ${posts.length}, newest first.</p>
            ${threaded(posts).map(showPost)}`
        : html`<p>No posts yet.</p>`,
    );
  });

  app.get('/:id', async (c) => {
    const id = c.req.param('id');
    const post = /^[0-9a-z]+$/.test(id) ? await findSandboxPost(db, id) : undefined;
    if (!post) return noSuch('post');
    const replies = await listSandboxReplies(db, post.id, shown);
    return page(
      `Post of @${post.handle}`,
      html`${threaded([...replies.toReversed(), post]).map(showPost)}
        <p><a href="/sandbox/posts">All posts</a></p>`,
    );
  });

  return app;
}

function noSuch(what: string): Promise<Response> {
  return page(
    `The sandbox has no such ${what}`,
    html`<p><a href="/sandbox/posts">All posts</a></p>`,
    { status: 404 },
  );
}

/** Newest first, with each reply below the post that it replies to, oldest reply first. */
function threaded(newestFirst: SandboxPostRow[]): SandboxPostRow[] {
  const ids = new Set(newestFirst.map((post) => post.id));
  const replies = Map.groupBy(newestFirst.toReversed(), (post) => post.reply_to);
  const withReplies = (post: SandboxPostRow): SandboxPostRow[] => [
    post,
    ...(replies.get(post.id) ?? []).flatMap(withReplies),
  ];
  return newestFirst
    .filter(({ reply_to }) => reply_to === null || !ids.has(reply_to))
    .flatMap(withReplies);
}

function showPost(post: SandboxPostRow): Html {
  const { id, handle, caption, reference, reply_to, media_urls } = post;
  const at = post.created_at.toISOString();
  const byHandle = `/sandbox/posts?${new URLSearchParams({ handle }).toString()}`;
  return html`<article>
    <h2><a href="${byHandle}">@${handle}</a></h2>
    ${
      reply_to !== null &&
      html`<p class="quiet">replies to <a href="/sandbox/posts/${reply_to}">${reply_to}</a></p>`
    }
    <p class="text">${caption}</p>
    ${media_urls.map((url) => html`<p><a href="${url}" rel="noreferrer nofollow">${url}</a></p>`)}
    <p class="quiet">
      <a href="/sandbox/posts/${id}"><time datetime="${at}">${at}</time></a>
      ${reference !== null && html`· reference ${reference}`}
    </p>
  </article>`;
}

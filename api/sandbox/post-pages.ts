// The sandbox network's own pages: what was posted there.
import { Hono } from 'hono';
import type { Db, SandboxPostRow } from '../../schema/database/database.ts';
import { findSandboxPost, listSandboxPosts } from '../../schema/database/sandbox.ts';
import { SandboxHandle } from '../../schema/sandbox.ts';
import { html, page, type Html } from '../pages.ts';

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
            ${posts.map(showPost)}`
        : html`<p>Nothing has been posted yet.</p>`,
    );
  });

  app.get('/:id', async (c) => {
    const id = c.req.param('id');
    const post = /^[0-9a-z]+$/.test(id) ? await findSandboxPost(db, id) : undefined;
    if (!post) return noSuch('post');
    return page(
      `Post of @${post.handle}`,
      html`${showPost(post)}
        <p><a href="/sandbox/posts">All posts</a></p>`,
    );
  });

  return app;
}

function noSuch(what: string): Response {
  return page(`No such ${what}`, html`<p>The sandbox has nothing here.</p>`, { status: 404 });
}

function showPost({ id, handle, caption, reference, created_at }: SandboxPostRow): Html {
  const at = created_at.toISOString();
  const byHandle = `/sandbox/posts?${new URLSearchParams({ handle }).toString()}`;
  return html`<article>
    <h2><a href="${byHandle}">@${handle}</a></h2>
    <p class="text">${caption}</p>
    <p class="quiet">
      <a href="/sandbox/posts/${id}"><time datetime="${at}">${at}</time></a>
      ${reference !== null && html`· reference ${reference}`}
    </p>
  </article>`;
}

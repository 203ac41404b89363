// The sandbox network's pages, which show its posts.
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Db, SandboxMediaRow, SandboxPostRow } from '../../schema/database/tables.ts';
import {
  findSandboxPost,
  listSandboxMedia,
  listSandboxPosts,
  listSandboxReplies,
} from '../../schema/database/sandbox.ts';
import { SandboxHandle } from '../../schema/platforms/sandbox.ts';
import { page } from '../http/pages/page.ts';
import type { Html } from '../http/pages/prose.ts';
import { isSandboxId } from './values.ts';

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
            ${await showPosts(posts)}`
        : html`<p>No posts yet.</p>`,
      { hasMedia: true },
    );
  });

  app.get('/:id', async (c) => {
    const id = c.req.param('id');
    const post = isSandboxId(id) ? await findSandboxPost(db, id) : undefined;
    if (!post) return noSuch('post');
    const replies = await listSandboxReplies(db, post.id, shown);
    return page(
      `Post of @${post.handle}`,
      html`${await showPosts([...replies.toReversed(), post])}
        <p><a href="/sandbox/posts">All posts</a></p>`,
      { hasMedia: true },
    );
  });

  async function showPosts(newestFirst: SandboxPostRow[]): Promise<Html[]> {
    const rows = await listSandboxMedia(
      db,
      newestFirst.flatMap(({ media }) => media),
    );
    const mediaById = new Map(rows.map((row) => [row.id, row]));
    return threaded(newestFirst).map((post) => showPost(post, mediaById));
  }

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

function showPost(post: SandboxPostRow, mediaById: Map<string, SandboxMediaRow>): Html {
  const { id, handle, caption, reference, reply_to, media } = post;
  const at = post.created_at.toISOString();
  const byHandle = `/sandbox/posts?${new URLSearchParams({ handle }).toString()}`;
  return html`<article>
    <h2><a href="${byHandle}">@${handle}</a></h2>
    ${
      reply_to !== null &&
      html`<p class="quiet">replies to <a href="/sandbox/posts/${reply_to}">${reply_to}</a></p>`
    }
    <p class="text">${caption}</p>
    ${media.map((mediaId) => showMedia(mediaById.get(mediaId)))}
    <p class="quiet">
      <a href="/sandbox/posts/${id}"><time datetime="${at}">${at}</time></a>
      ${reference !== null && html`· reference ${reference}`}
    </p>
  </article>`;
}

function showMedia(media: SandboxMediaRow | undefined): Html {
  if (!media) return html`<p class="quiet">Media that the sandbox no longer has</p>`;
  const { id, content_type, alt_text } = media;
  const url = `/sandbox/media/${id}`;
  if (content_type.startsWith('image/')) {
    return html`<img src="${url}" alt="${alt_text ?? 'Image without alt text'}" loading="lazy" />`;
  }
  const label = alt_text ?? 'Video without alt text';
  return html`<video src="${url}" aria-label="${label}" controls preload="metadata"></video>`;
}

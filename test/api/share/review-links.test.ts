// Review links: who gets one, which browser can use it, and how often.
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createVault } from '../../../schema/database/vault.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { createShareRoutes } from '../../../api/share/routes.ts';
import { createBrowser } from '../../support/app/browser.ts';
import {
  createReviewLink,
  textOf,
  type ReviewLink,
} from '../../support/networks/tiktok/share-page.ts';
import { forFile } from '../../support/fixtures.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { createTestLog } from '../../support/log.ts';
import { startTikTokApp } from '../../support/networks/tiktok/app.ts';
import { consentOfTest as consent } from '../../support/networks/tiktok/subject.ts';

const roles = { api: true, worker: false };
const { log, lines } = createTestLog('debug');
const tiktok = forFile(() => startTikTokApp({ roles, log }));
const days = (ms: number) => ms / 86_400_000;
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

let mediaId: string | undefined;
beforeEach(async () => {
  mediaId ??= await tiktok.uploadVideo();
});

const db = () => tiktok.app.context.db;
const api = () => tiktok.app.api;
const target = (platform_options: object = {}) => ({
  account_id: tiktok.accountId,
  platform_options,
});

async function createPost(change: Record<string, unknown> = {}): Promise<string> {
  const post = { caption: 'Rehearsal', media_ids: [mediaId], platform_posts: [target()] };
  const { id } = await tiktok.app.tenant.createPost({ ...post, status: 'draft', ...change });
  return id;
}

const readPost = async (id: string) => (await api().get(`/v1/posts/${id}`)).body.data;
const linkTo = (postId: string, body: unknown = { can: 'publish' }) =>
  api().post(`/v1/posts/${postId}/review-links`, body);
const idOf = ({ url }: ReviewLink) => /rev_\w+/.exec(url)![0];
const choices = { caption: 'Rehearsal', privacy_level: 'SELF_ONLY' };

/** An account of another creator. Nobody publishes with it. */
async function addSecondAccount(): Promise<string> {
  const id = newId('account');
  await db()
    .insertInto('social_accounts')
    .values({
      id,
      project_id: tiktok.app.tenant.projectId,
      platform: 'tiktok',
      account_name: '@bob',
      external_account_id: 'bob',
      connection_type: 'byo',
      status: 'active',
      traits: '{}',
      default_options: '{}',
    })
    .execute();
  return id;
}

async function open(postId: string) {
  const link = await createReviewLink(api(), postId);
  const browser = createBrowser();
  return { link, browser, page: await browser.visit(link.url) };
}

describe('POST /v1/posts/:id/review-links', () => {
  test('returns a link that works for 7 days, and stores only a hash of its token', async () => {
    const id = await createPost();
    const link = await createReviewLink(api(), id);
    const { url, expires_at, ...others } = link;
    expect(others).toEqual({ post_id: id, social_account_id: tiktok.accountId, can: 'publish' });
    expect(url).toMatch(/^http:\/\/[\d.:]+\/share\/rev_[0-9a-z]{26}\?token=[\w-]{43}$/);
    expect(days(Date.parse(expires_at) - Date.now())).toBeCloseTo(7, 2);
    const rows = await db().selectFrom('review_links').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(new URL(url).searchParams.get('token'));
  });

  test('is the same in GraphQL', async () => {
    const mutation = `mutation ($id: ID!) { createReviewLink(id: $id, input: { can: PUBLISH }) {
      url postId socialAccountId can expiresAt
    } }`;
    const id = await createPost();
    const { createReviewLink: made } = await ask(tiktok.app, mutation, { id });
    expect(made).toMatchObject({ postId: id, socialAccountId: tiktok.accountId, can: 'PUBLISH' });
    expect((await createBrowser().visit(made.url)).status).toBe(200);
    const error = await askRefused(tiktok.app, mutation, { id: 'post_unknown' });
    expect(error.code).toBe('not_found');
  });

  test('needs the scope of publishing', async () => {
    const key = (await api().post('/v1/api-keys', { name: 'k', scopes: ['posts:read'] })).body.data;
    const answer = await fetch(`${tiktok.app.url}/v1/posts/${await createPost()}/review-links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ can: 'publish' }),
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { required_scope: 'posts:write' } });
  });

  test('refuses what it does not know: a post, the post of another project, another action', async () => {
    expect((await linkTo('post_unknown')).status).toBe(404);
    const id = await createPost();
    const other = await tiktok.app.createTenant('other');
    const foreign = await other.api.post(`/v1/posts/${id}/review-links`, { can: 'publish' });
    expect(foreign.status).toBe(404);
    for (const [body, path] of [
      [{ can: 'delete' }, 'can'],
      [{}, 'can'],
      [{ can: 'publish', days: 9 }, 'days'],
    ] as const) {
      const refused = await linkTo(id, body);
      expect([refused.status, refused.body.error.issues[0].path]).toEqual([422, path]);
    }
  });

  test('refuses a post that the page could not show', async () => {
    const sandbox = await tiktok.app.tenant.connectSandbox('ada');
    const second = await addSecondAccount();
    const url = 'https://example.com/clip.mp4';
    const refusals: [Record<string, unknown>, string, string][] = [
      [{ platform_posts: [{ account_id: sandbox.id }] }, 'platform_posts', 'no_target_to_review'],
      [
        { platform_posts: [{ account_id: sandbox.id }, target({ mode: 'inbox' })] },
        'platform_posts[1].platform_options.mode',
        'reviewed_in_app',
      ],
      [
        { platform_posts: [target(), { ...target(), account_id: second }] },
        'platform_posts[1].account_id',
        'several_targets_to_review',
      ],
      [{ media_ids: undefined, media_urls: [url] }, 'media[0].url', 'media_not_uploaded'],
      [
        { platform_posts: [{ ...target(), media_urls: [url] }] },
        'platform_posts[0].media[0].url',
        'media_not_uploaded',
      ],
    ];
    for (const [change, path, code] of refusals) {
      const answer = await linkTo(await createPost(change));
      expect([answer.status, answer.body.error.issues]).toMatchObject([422, [{ path, code }]]);
    }
  });

  test('refuses a post that is being published', async () => {
    const chosen = { privacy_level: 'SELF_ONLY', consent };
    const id = await createPost({ status: undefined, platform_posts: [target(chosen)] });
    const answer = await linkTo(id);
    expect([answer.status, answer.body.error]).toMatchObject([
      409,
      { code: 'conflict', post_status: 'pending' },
    ]);
  });
});

describe('the link', () => {
  test('moves its token into a cookie, and works only in the browser that opened it', async () => {
    const link = await createReviewLink(api(), await createPost());
    const answer = await fetch(link.url, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('Location')]).toEqual([302, `/share/${idOf(link)}`]);
    expect(answer.headers.get('Set-Cookie')).toMatch(
      new RegExp(`^share_${idOf(link)}=.*Path=/share; HttpOnly; SameSite=Lax$`),
    );
    const stranger = await createBrowser().visit(`${tiktok.app.url}/share/${idOf(link)}`);
    expect([stranger.status, stranger.html.includes('Rehearsal')]).toEqual([403, false]);
  });

  test('is shown with a strict policy and without a script', async () => {
    const { browser, page } = await open(await createPost());
    const policy = (await browser.request(page.url)).headers.get('Content-Security-Policy')!;
    const directives = policy.split('; ');
    expect(directives).toContain("default-src 'none'");
    expect(directives).toContain("form-action 'self'");
    expect(directives).toContain("img-src 'self' https://p16.tiktokcdn.test");
    expect(directives).toContain("media-src 'self'");
    expect(policy).not.toMatch(/script-src|unsafe/);
    expect(page.html).not.toMatch(/<script|\son\w+=|\sstyle=/);
  });

  test.each([
    ['a wrong token', (url: string) => url.replace(/token=.*/, `token=${'a'.repeat(43)}`)],
    ['an unknown ID', (url: string) => url.replace(/rev_\w{26}/, `rev_0${'1'.repeat(25)}`)],
    ['a malformed ID', (url: string) => url.replace(/rev_\w{26}/, 'rev_%00')],
  ])('with %s is not valid', async (_, change) => {
    const { url } = await createReviewLink(api(), await createPost());
    const page = await createBrowser().visit(change(url));
    expect([page.status, textOf(page)]).toEqual([
      404,
      expect.stringContaining('This link is not valid.'),
    ]);
  });

  test('expires', async () => {
    const id = await createPost();
    const { link, browser, page } = await open(id);
    await db()
      .updateTable('review_links')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('id', '=', idOf(link))
      .execute();
    for (const expired of [
      await browser.visit(page.url),
      await browser.submit(page, choices),
      await createBrowser().visit(link.url),
    ]) {
      expect([expired.status, textOf(expired)]).toEqual([
        410,
        expect.stringContaining('This link has expired'),
      ]);
    }
    expect((await readPost(id)).status).toBe('draft');
  });

  test('is gone with its post', async () => {
    const deleted = await createPost();
    const { browser, page } = await open(deleted);
    expect((await api().delete(`/v1/posts/${deleted}`)).status).toBe(204);
    expect((await browser.visit(page.url)).status).toBe(404);
  });

  test('is gone with its erased account', async () => {
    await using other = await startTikTokApp({ roles });
    const post = { media_ids: [await other.uploadVideo()], account_ids: [other.accountId] };
    const { id } = await other.app.tenant.createPost({ ...post, status: 'draft' });
    const link = await createReviewLink(other.app.api, id);
    const visitor = createBrowser();
    expect((await visitor.visit(link.url)).status).toBe(200);
    await other.app.api.delete(`/v1/accounts/${other.accountId}?erase=true`);
    expect((await visitor.visit(link.url)).status).toBe(404);
  });

  test('ends if the post no longer goes to the account', async () => {
    const id = await createPost();
    const { browser, page } = await open(id);
    const sandbox = await tiktok.app.tenant.connectSandbox('ada');
    await api().patch(`/v1/posts/${id}`, { account_ids: [sandbox.id] });
    expect((await browser.visit(page.url)).status).toBe(410);
  });
});

describe('the form', () => {
  test('publishes once, even if it is sent twice at once', async () => {
    const id = await createPost();
    const { link, browser, page } = await open(id);
    const answers = await Promise.all([1, 2].map(() => browser.submit(page, choices)));
    for (const answer of answers) {
      expect([answer.status, textOf(answer)]).toEqual([
        200,
        expect.stringContaining('Your post is being sent to TikTok'),
      ]);
    }
    const post = await readPost(id);
    expect(post.status).toBe('pending');
    expect(post.results[0].platform_options).toEqual({
      privacy_level: 'SELF_ONLY',
      consent: { previewed: true, accepted_at: expect.any(String) },
      allow_comment: false,
      allow_duet: false,
      allow_stitch: false,
      made_with_ai: false,
      paid_partnership: false,
      promotes_own_brand: false,
    });
    const row = await db().selectFrom('posts').selectAll().where('id', '=', id).execute();
    expect(row).toMatchObject([{ current_run: 1 }]);
    const used = await createBrowser().visit(link.url);
    expect(textOf(used)).toContain('Your post is being sent to TikTok');
  });

  test('says that a video was made with AI, if the creator says so', async () => {
    const id = await createPost({ platform_posts: [target({ made_with_ai: true })] });
    const { browser, page } = await open(id);
    expect(page.html).toMatch(/id="made_with_ai"(?![^>]*checked)/);
    await browser.submit(page, { ...choices, made_with_ai: 'on' });
    expect((await readPost(id)).results[0].platform_options.made_with_ai).toBe(true);
  });

  test.each([
    ['another page', { state: 'rev_other.AAAA' }],
    ['nowhere', { state: '' }],
  ])('is refused if it comes from %s', async (_, forged) => {
    const id = await createPost();
    const { browser, page } = await open(id);
    expect((await browser.submit(page, { ...choices, ...forged })).status).toBe(403);
    expect((await readPost(id)).status).toBe('draft');
  });

  test('is refused if the post has changed since, and can then be filled in again', async () => {
    const id = await createPost();
    const { browser, page } = await open(id);
    await api().patch(`/v1/posts/${id}`, { caption: 'Another text' });
    const stale = await browser.submit(page, choices);
    expect([stale.status, textOf(stale)]).toEqual([
      409,
      expect.stringContaining('The post has changed since you opened this page.'),
    ]);
    expect((await readPost(id)).status).toBe('draft');
    const again = await browser.visit(page.url);
    expect(again.html).toContain('Another text');
    await browser.submit(again, choices);
    expect((await readPost(id)).status).toBe('pending');
  });

  test('keeps what was entered, and uses the link only for what was published', async () => {
    const id = await createPost();
    const { browser, page } = await open(id);
    const long = { ...choices, caption: 'é'.repeat(2_201), allow_comment: 'on' };
    const refused = await browser.submit(page, long);
    expect(refused.status).toBe(422);
    expect(refused.html).toMatch(/<option value="SELF_ONLY" selected/);
    expect(refused.html).toMatch(/id="allow_comment"[^>]*checked/);
    expect(refused.html).toMatch(/<a href="#caption">/);
    expect((await readPost(id)).results[0].platform_options).toEqual({});
    await browser.submit(refused, choices);
    expect((await readPost(id)).status).toBe('pending');
  });

  test('leaves the text of other targets alone, and names their networks', async () => {
    const sandbox = await tiktok.app.tenant.connectSandbox('ada');
    const platform_posts = [{ account_id: sandbox.id, caption: 'Elsewhere' }, target()];
    const id = await createPost({ platform_posts });
    const { browser, page } = await open(id);
    expect(textOf(page)).toContain('publishes this post now at Sandbox, too.');
    await browser.submit(page, { ...choices, caption: '<b>Mine</b>' });
    const { status, results } = await readPost(id);
    expect(status).toBe('pending');
    expect(results.map(({ caption }: { caption: string }) => caption)).toEqual([
      'Elsewhere',
      '<b>Mine</b>',
    ]);
  });

  test.each([
    ['a draft with a time schedules it', { scheduled_at: inHours(3), status: 'draft' }],
    [
      'a draft with a local time schedules it',
      {
        schedule: { local: inHours(3).slice(0, 16), timezone: 'UTC' },
        status: 'draft',
      },
    ],
    [
      'a scheduled post keeps its time',
      {
        scheduled_at: inHours(3),
        status: undefined,
        platform_posts: 'with consent',
      },
    ],
  ])('of %s', async (_, change) => {
    const chosen = target({ privacy_level: 'PUBLIC_TO_EVERYONE', consent });
    const platform_posts = 'platform_posts' in change ? [chosen] : [target()];
    const id = await createPost({ ...change, platform_posts });
    const before = await readPost(id);
    const { browser, page } = await open(id);
    expect(textOf(page)).toContain('The post will be published on');
    const sent = await browser.submit(page, choices);
    expect(textOf(sent)).toContain('Your post is scheduled');
    const { status, scheduled_at, schedule, results } = await readPost(id);
    expect([status, scheduled_at]).toEqual(['scheduled', before.scheduled_at]);
    expect(schedule).toEqual(before.schedule);
    expect(results[0].platform_options.privacy_level).toBe('SELF_ONLY');
    expect(results[0].platform_options.consent).not.toEqual(consent);
  });

  test('of a post that was published without the page shows its outcome', async () => {
    const id = await createPost();
    const { browser, page } = await open(id);
    const platform_posts = [target({ privacy_level: 'PUBLIC_TO_EVERYONE', consent })];
    await api().patch(`/v1/posts/${id}`, { platform_posts });
    await api().post(`/v1/posts/${id}/publish`);
    const late = await browser.submit(page, choices);
    expect(textOf(late)).toContain('Your post is being sent to TikTok');
    const { results } = await readPost(id);
    expect(results[0].platform_options.privacy_level).toBe('PUBLIC_TO_EVERYONE');
  });

  test('is too large above 64 KiB', async () => {
    const { browser, page } = await open(await createPost());
    const answer = await browser.submit(page, { ...choices, caption: 'a'.repeat(70_000) });
    expect(answer.status).toBe(413);
  });

  test('of a browser whose cookie another installation made is refused', async () => {
    const { link, browser } = await open(await createPost());
    const vault = createVault(new Map([['test', randomBytes(32)]]), 'test');
    const other = createShareRoutes({ ...tiktok.app.context, vault });
    const url = `${tiktok.app.url}/share/${idOf(link)}`;
    const answer = await other.request(url, { headers: { Cookie: browser.cookiesFor(url) } });
    expect(answer.status).toBe(403);
  });
});

test('the log names each link and its use, without its secrets', async () => {
  const { link, browser, page } = await open(await createPost());
  await browser.submit(page, choices);
  const ofLink = lines.filter(({ subject_id }) => subject_id === idOf(link));
  expect(ofLink.map(({ msg }) => msg)).toEqual(['review_link created', 'review_link updated']);
  const logged = JSON.stringify(lines);
  expect(logged).not.toContain(new URL(link.url).searchParams.get('token'));
  expect(logged).not.toContain(browser.cookiesFor(page.url).split('=')[1]);
});

test('a post that the creator publishes names the creator by the ID that the client gave', async () => {
  const id = await createPost();
  const { browser, page } = await open(id);
  await browser.submit(page, choices);
  const changes = await db()
    .selectFrom('changes')
    .select(['kind', 'actor'])
    .where('subject_id', '=', id)
    .where('kind', 'in', ['updated', 'submitted'])
    .orderBy('id')
    .execute();
  const actor = { type: 'user', id: 'user-1', name: null };
  expect(changes).toEqual([
    { kind: 'updated', actor },
    { kind: 'submitted', actor },
  ]);
  expect((await readPost(id)).created_by).toMatchObject({ type: 'key', name: expect.any(String) });
});

test('a login that TikTok has ended shows that the account must be connected again', async () => {
  const { browser, page } = await open(await createPost());
  tiktok.network.revokeToken();
  const answer = await browser.visit(page.url);
  expect([answer.status, textOf(answer)]).toEqual([409, expect.stringContaining('The account')]);
});

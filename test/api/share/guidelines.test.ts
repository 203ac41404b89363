// The share page keeps the 20 points of TikTok's guidelines for Direct Post. The number of each test is that of the
// guideline, in https://developers.tiktok.com/doc/content-sharing-guidelines: "Required UX Implementation in Your App".
// Sentences in quotation marks there must be on the page as they are.
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createBrowser, inGerman, type Browser, type Page } from '../../support/app/browser.ts';
import {
  captionOf,
  controlOf,
  createReviewLink,
  levelsOf,
  textOf,
} from '../../support/networks/tiktok/share-page.ts';
import { forFile } from '../../support/fixtures.ts';
import { createTikTokServer } from '../../support/networks/tiktok/server.ts';
import { startTikTokApp } from '../../support/networks/tiktok/app.ts';

const tiktok = forFile(() => startTikTokApp());
const { creator: firstCreator } = createTikTokServer();

beforeEach(() => {
  Object.assign(tiktok.network.creator, firstCreator);
  tiktok.network.refusesPosts = undefined;
  tiktok.network.calls.length = 0;
  tiktok.network.begun.length = 0;
});

const creatorCall = 'POST /v2/post/publish/creator_info/query/';
const patience = { timeout: 15_000, interval: 50 };

interface Opened {
  browser: Browser;
  page: Page;
  postId: string;
}

/** Posts may share media. */
const videoOfTest = once(async () => [await tiktok.uploadVideo()]);
const photosOfTest = once(async () => [await tiktok.uploadPhoto(), await tiktok.uploadPhoto()]);

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

async function mediaOf(kind: 'video' | 'photos', seconds: number | undefined) {
  if (seconds !== undefined) return [await tiktok.uploadVideo(seconds)];
  return kind === 'video' ? videoOfTest() : photosOfTest();
}

/** A draft of the client, without the choices of the creator, at its page. */
async function open(
  kind: 'video' | 'photos' = 'video',
  { seconds, platform_options = {}, ...post }: Record<string, unknown> & { seconds?: number } = {},
): Promise<Opened> {
  const media_ids = await mediaOf(kind, seconds);
  const draft = await tiktok.app.tenant.createPost({
    caption: 'Rehearsal #brass',
    media_ids,
    status: 'draft',
    platform_posts: [{ account_id: tiktok.accountId, platform_options }],
    ...post,
  });
  const { url } = await createReviewLink(tiktok.app.api, draft.id);
  const browser = createBrowser();
  return { browser, page: await browser.visit(url), postId: draft.id };
}

const chosen = { caption: 'Rehearsal #brass', privacy_level: 'PUBLIC_TO_EVERYONE' };

const readPost = async (id: string) => (await tiktok.app.api.get(`/v1/posts/${id}`)).body.data;

/** What TikTok gets first, once the post is published. */
async function begunAs(): Promise<Record<string, unknown>> {
  await vi.waitFor(() => expect(tiktok.network.begun).toHaveLength(1), patience);
  return tiktok.network.begun[0]!['post_info'] as Record<string, unknown>;
}

/** Expects that the page shows the problem, and that the post is still a draft. */
async function expectRefused({ postId }: Opened, answer: Page, sentence: string): Promise<void> {
  expect([answer.status, textOf(answer)]).toEqual([422, expect.stringContaining(sentence)]);
  expect((await readPost(postId)).status).toBe('draft');
}

describe('1. the creator', () => {
  test("1a. The page shows the creator's nickname and picture, asked of TikTok whenever it is rendered", async () => {
    const { browser, page } = await open();
    expect(tiktok.network.calls).toEqual([creatorCall]);
    expect(textOf(page)).toContain('You post to TikTok as Ada @ada_l');
    expect(page.html).toContain('<img src="https://p16.tiktokcdn.test/ada.jpeg"');
    tiktok.network.creator.creator_nickname = 'Countess';
    const again = await browser.visit(page.url);
    expect(tiktok.network.calls).toEqual([creatorCall, creatorCall]);
    expect(textOf(again)).toContain('You post to TikTok as Countess');
  });

  test("1b. A creator who can't make more posts now is stopped with TikTok's reason, and asked to try again later", async () => {
    const opened = await open();
    tiktok.network.refusesPosts = 'spam_risk_too_many_posts';
    for (const page of [
      await opened.browser.visit(opened.page.url),
      await opened.browser.submit(opened.page, chosen),
    ]) {
      expect([page.status, controlOf(page, 'privacy_level')]).toEqual([409, undefined]);
      expect(textOf(page)).toContain('as many posts through apps');
      expect(textOf(page)).toContain('Try again later.');
    }
    expect((await readPost(opened.postId)).status).toBe('draft');
    tiktok.network.refusesPosts = undefined;
    expect((await opened.browser.visit(opened.page.url)).status).toBe(200);
  });

  test('1c. A video that is longer than the creator may publish is refused', async () => {
    const opened = await open('video', { seconds: 6 });
    tiktok.network.creator.max_video_post_duration_sec = 5;
    for (const page of [
      await opened.browser.visit(opened.page.url),
      await opened.browser.submit(opened.page, chosen),
    ]) {
      expect([page.status, controlOf(page, 'privacy_level')]).toEqual([409, undefined]);
      expect(textOf(page)).toContain('at most 5 seconds, and this video has 6 seconds.');
    }
    expect((await readPost(opened.postId)).status).toBe('draft');
  });
});

describe('2. what the creator enters', () => {
  test('2a. The creator can enter a title, of a video and of photos', async () => {
    const clip = await open();
    await clip.browser.submit(clip.page, { ...chosen, caption: 'Take two' });
    expect(await begunAs()).toMatchObject({ title: 'Take two' });
    tiktok.network.begun.length = 0;
    const photos = await open('photos');
    const entered = { ...chosen, title: 'Our hall', caption: 'Line one\r\nline two' };
    await photos.browser.submit(photos.page, entered);
    const arrived = { title: 'Our hall', description: 'Line one\nline two' };
    expect(await begunAs()).toMatchObject(arrived);
  });

  test('2b. The privacy options are those that TikTok returns for the creator', async () => {
    tiktok.network.creator.privacy_level_options = ['FOLLOWER_OF_CREATOR', 'SELF_ONLY'];
    const opened = await open();
    expect(levelsOf(opened.page).map(({ level }) => level)).toEqual([
      '',
      'FOLLOWER_OF_CREATOR',
      'SELF_ONLY',
    ]);
    const answer = await opened.browser.submit(opened.page, chosen);
    await expectRefused(opened, answer, "TikTok doesn't offer you this choice");
  });

  test('2b. The creator must choose the privacy from a list in which nothing is chosen', async () => {
    const preset = { privacy_level: 'SELF_ONLY' };
    const opened = await open('video', { platform_options: preset });
    const [none, ...levels] = levelsOf(opened.page);
    expect(none).toEqual({ level: '', isSelected: true, isDisabled: true });
    expect(levels.map(({ isSelected }) => isSelected)).toEqual([false, false, false]);
    expect(controlOf(opened.page, 'privacy_level')).toMatch(/^<select[^]*\brequired\b/);
    const answer = await opened.browser.submit(opened.page, { caption: 'Rehearsal' });
    await expectRefused(opened, answer, 'Choose who can see the post.');
  });

  test('2c. Comments, duets and stitches are off until the creator turns them on', async () => {
    const on = { allow_comment: true, allow_duet: true, allow_stitch: true };
    const path = `/v1/accounts/${tiktok.accountId}`;
    await tiktok.app.api.patch(path, { defaults: { platform_options: on } });
    const opened = await open('video', { platform_options: on });
    await tiktok.app.api.patch(path, { defaults: { platform_options: {} } });
    for (const name of Object.keys(on)) {
      expect(controlOf(opened.page, name)).toMatch(/type="checkbox"/);
      expect(controlOf(opened.page, name)).not.toMatch(/checked|disabled/);
    }
    await opened.browser.submit(opened.page, { ...chosen, allow_duet: 'on' });
    const arrived = { disable_comment: true, disable_duet: false, disable_stitch: true };
    expect(await begunAs()).toMatchObject(arrived);
  });

  test('2c. An interaction that the creator has turned off at TikTok is disabled and grey', async () => {
    tiktok.network.creator.duet_disabled = true;
    const opened = await open();
    expect(controlOf(opened.page, 'allow_duet')).toContain('disabled');
    expect(controlOf(opened.page, 'allow_stitch')).not.toContain('disabled');
    expect(opened.page.html).toContain('input:disabled + label { color: var(--quiet) }');
    expect(textOf(opened.page)).toContain('Allow duets You have turned this off at TikTok.');
    const answer = await opened.browser.submit(opened.page, { ...chosen, allow_duet: 'on' });
    await expectRefused(opened, answer, 'You have turned this off at TikTok.');
  });

  test('2c. Photos have only the switch for comments', async () => {
    const on = { allow_duet: true, allow_stitch: true };
    const path = `/v1/accounts/${tiktok.accountId}`;
    await tiktok.app.api.patch(path, { defaults: { platform_options: on } });
    const { browser, page } = await open('photos');
    expect(controlOf(page, 'allow_comment')).toBeDefined();
    expect(controlOf(page, 'allow_duet')).toBeUndefined();
    expect(controlOf(page, 'allow_stitch')).toBeUndefined();
    await browser.submit(page, { ...chosen, allow_comment: 'on' });
    expect(await begunAs()).toMatchObject({ disable_comment: false });
    await tiktok.app.api.patch(path, { defaults: { platform_options: {} } });
  });
});

describe('3. commercial content', () => {
  const brands = ['disclose', 'promotes_own_brand', 'paid_partnership'];

  test('3a. The disclosure is off by default, and the post is then not labeled', async () => {
    const preset = { promotes_own_brand: true, paid_partnership: true };
    const { browser, page } = await open('video', { platform_options: preset });
    for (const name of brands) expect(controlOf(page, name)).not.toMatch(/checked|disabled/);
    expect(textOf(page)).toMatch(/Your brand .* Branded content/);
    expect(page.html).toContain('form:not(:has(#disclose:checked)) .commercial { display: none }');
    // As a browser sends boxes that were hidden again.
    await browser.submit(page, { ...chosen, promotes_own_brand: 'on', paid_partnership: 'on' });
    const arrived = { brand_organic_toggle: false, brand_content_toggle: false };
    expect(await begunAs()).toMatchObject(arrived);
  });

  test('3a. With the disclosure on, the creator must choose at least one of its options', async () => {
    const opened = await open();
    const sentence =
      'You need to indicate if your content promotes yourself, a third party, or both.';
    expect(textOf(opened.page)).toContain(sentence);
    const answer = await opened.browser.submit(opened.page, { ...chosen, disclose: 'on' });
    await expectRefused(opened, answer, sentence);
    expect(controlOf(answer, 'disclose')).toContain('checked');
  });

  test('3a. "Your brand" says that the post will be labeled as promotional content', async () => {
    const { browser, page } = await open();
    expect(textOf(page)).toContain("Your photo/video will be labeled as 'Promotional content'.");
    await browser.submit(page, { ...chosen, disclose: 'on', promotes_own_brand: 'on' });
    const arrived = { brand_organic_toggle: true, brand_content_toggle: false };
    expect(await begunAs()).toMatchObject(arrived);
  });

  test('3a. "Branded content" says that the post will be labeled as a paid partnership, with "Your brand" too', async () => {
    for (const others of [{}, { promotes_own_brand: 'on' }]) {
      tiktok.network.begun.length = 0;
      const { browser, page } = await open();
      expect(textOf(page)).toContain("Your photo/video will be labeled as 'Paid partnership'.");
      const paid = { ...chosen, disclose: 'on', paid_partnership: 'on' };
      await browser.submit(page, { ...paid, ...others });
      const brand_organic_toggle = 'promotes_own_brand' in others;
      expect(await begunAs()).toMatchObject({ brand_organic_toggle, brand_content_toggle: true });
    }
  });

  test("3b. Branded content can't be private", async () => {
    const opened = await open();
    const sentence = 'Branded content visibility cannot be set to private.';
    expect(textOf(opened.page)).toContain(sentence);
    const secret = { privacy_level: 'SELF_ONLY', disclose: 'on', paid_partnership: 'on' };
    const answer = await opened.browser.submit(opened.page, { ...chosen, ...secret });
    await expectRefused(opened, answer, sentence);
    expect(answer.html).toMatch(/<li>\s*<a href="#paid_partnership">Branded content visibility/);
  });
});

describe('4. the declaration', () => {
  const music = 'https://www.tiktok.com/legal/page/global/music-usage-confirmation/en';
  const branded = 'https://www.tiktok.com/legal/page/global/bc-policy/en';

  test('4. The Music Usage Confirmation is declared before the button, and with branded content the Branded Content Policy too', async () => {
    const { html } = (await open()).page;
    const declared = (name: string) => {
      const declaration = new RegExp(`<p class="${name}">[^]*?</p>`).exec(html)![0];
      expect(html.indexOf(declaration)).toBeLessThan(html.indexOf('<button'));
      const urls = [...declaration.matchAll(/href="([^"]+)"/g)].map(([, url]) => url);
      return [textOf({ html: `<body>${declaration}` }).trim(), urls];
    };
    expect(declared('when-not-branded')).toEqual([
      "By posting, you agree to TikTok's Music Usage Confirmation.",
      [music],
    ]);
    expect(declared('when-branded')).toEqual([
      "By posting, you agree to TikTok's Branded Content Policy and Music Usage Confirmation.",
      [branded, music],
    ]);
  });
});

describe('5. awareness and control', () => {
  test('5a. The page shows a preview of what will be published', async () => {
    const clip = await open();
    const photos = await open('photos');
    const sources = [clip, photos].flatMap(({ page }) =>
      [...page.html.matchAll(/<(img|video)\s+src="(\/media\/[^"]+)"/g)].map(([, tag, path]) => ({
        tag,
        path: path!,
      })),
    );
    expect(sources.map(({ tag }) => tag)).toEqual(['video', 'img', 'img']);
    for (const { tag, path } of sources) {
      const file = await fetch(`${tiktok.app.url}${path}`);
      const type = tag === 'video' ? 'video/mp4' : 'image/jpeg';
      expect([file.status, file.headers.get('content-type')]).toEqual([200, type]);
    }
  });

  test('5b. Nothing is added to the content, and the creator can edit preset text', async () => {
    const { browser, page, postId } = await open();
    expect(captionOf(page)).toBe('Rehearsal #brass');
    expect(controlOf(page, 'caption')).not.toMatch(/readonly|disabled/);
    const path = /<video\s+src="([^"]+)"/.exec(page.html)![1]!;
    const file = await (await fetch(`${tiktok.app.url}${path}`)).arrayBuffer();
    await browser.submit(page, { ...chosen, caption: 'Only mine' });
    expect(await begunAs()).toMatchObject({ title: 'Only mine' });
    await tiktok.app.tenant.waitForPost(postId);
    const sha256 = createHash('sha256').update(Buffer.from(file)).digest('hex');
    expect(tiktok.network.listPosts().at(-1)).toMatchObject({ text: 'Only mine', media: [sha256] });
  });

  test('5c. Nothing is sent to TikTok before the creator presses the button', async () => {
    const before = Date.now();
    const { browser, page, postId } = await open();
    await browser.visit(page.url);
    expect(new Set(tiktok.network.calls)).toEqual(new Set([creatorCall]));
    const { results } = await readPost(postId);
    expect(results[0].platform_options).toEqual({});
    await browser.submit(page, chosen);
    await begunAs();
    const { consent } = (await readPost(postId)).results[0].platform_options;
    expect(consent.previewed).toBe(true);
    expect(Date.parse(consent.accepted_at)).toBeGreaterThan(before);
    expect(Date.parse(consent.accepted_at)).toBeLessThanOrEqual(Date.now());
  });

  test('5d. The page says that it may take a few minutes until the post is visible', async () => {
    const { browser, page } = await open();
    const sentence =
      'it may take a few minutes for the content to process and be visible on your profile.';
    expect(textOf(page)).toContain(sentence);
    const sent = await browser.submit(page, chosen);
    expect(textOf(sent).toLowerCase()).toContain(sentence);
  });

  test('5e. The page shows the status of the post afterwards, which TikTok is asked for', async () => {
    const { browser, page, postId } = await open();
    const sent = await browser.submit(page, chosen);
    expect(textOf(sent)).toContain('Your post is being sent to TikTok');
    await tiktok.app.tenant.waitForPost(postId);
    expect(tiktok.network.calls).toContain('POST /v2/post/publish/status/fetch/');
    expect(textOf(await browser.visit(page.url))).toContain('Your post is at TikTok');
    tiktok.network.failsWith = 'frame_rate_check_failed';
    const failing = await open();
    await failing.browser.submit(failing.page, chosen);
    await tiktok.app.tenant.waitForPost(failing.postId);
    const failed = textOf(await failing.browser.visit(failing.page.url));
    expect(failed).toContain('Your post is not at TikTok');
    expect(failed).toContain('23 to 60 frames');
  });
});

test('a German page has the sentences of the guidelines in English', async () => {
  const { postId } = await open();
  const { url } = await createReviewLink(tiktok.app.api, postId);
  const page = await createBrowser(inGerman()).visit(url);
  expect(page.html).toContain('<html lang="de">');
  const text = textOf(page);
  expect(text).toContain('Wer diesen Beitrag sehen kann');
  expect(text).toContain('Sie posten auf TikTok als');
  for (const sentence of [
    "Your photo/video will be labeled as 'Promotional content'.",
    'Branded content visibility cannot be set to private.',
    'You need to indicate if your content promotes yourself, a third party, or both.',
  ]) {
    expect(page.html).toContain(`<span lang="en">${sentence.replaceAll("'", '&#39;')}</span>`);
  }
  expect(text).toContain("By posting, you agree to TikTok's Music Usage Confirmation.");
});

// What the hosted page says to a user whose Instagram account can't be connected.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../support/app/app.ts';
import { createBrowser } from '../../../support/app/browser.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import type { RunningNetwork } from '../../../support/networks/contract/subject.ts';
import { pageOf } from '../../../support/networks/instagram/facebook-side.ts';
import { InstagramServer } from '../../../support/networks/instagram/server.ts';
import { consentAtFacebook, startNetwork } from '../../../support/networks/instagram/subject.ts';

const server = new InstagramServer();
const { logins } = server.facebook;
let network: RunningNetwork;
let app: TestApp;
beforeAll(async () => {
  network = await startNetwork(createSwitchboard(), server);
  app = await startApp({
    env: {
      ...network.env,
      FANFARE_FACEBOOK_CLIENT_ID: logins.client.id,
      FANFARE_FACEBOOK_CLIENT_SECRET: logins.client.secret,
    },
  });
});
afterAll(async () => {
  await app?.stop();
  await network?.[Symbol.asyncDispose]();
});

async function openSession(): Promise<{ id: string; url: string }> {
  const body = { platform: 'instagram', external_user_id: 'user-1' };
  const created = await app.api.post('/v1/connect/sessions', body);
  expect(created.status, created.text).toBe(201);
  return created.body.data;
}

const plain = (html: string) =>
  html.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');

/** The page after a login at Facebook with these pages. The session stays open for another try. */
async function logInWith(...pages: ReturnType<typeof pageOf>[]): Promise<string> {
  logins.pages.splice(0, Infinity, ...pages);
  const { id, url } = await openSession();
  const { html } = await consentAtFacebook(url);
  const { data } = (await app.api.get(`/v1/connect/sessions/${id}`)).body;
  expect(data).toMatchObject({ status: 'pending' });
  expect(html).toContain('Try again');
  return plain(html);
}

const unlinked = { instagram_business_account: undefined };

describe('a login at Facebook', () => {
  test('without a page says how to share one', async () => {
    expect(await logInWith()).toContain(
      'Facebook shared no page. Log in again, choose "Edit settings", and select every page.',
    );
  });

  test('without a linked account names the pages', async () => {
    expect(await logInWith(pageOf('0', { more: unlinked }))).toContain(
      'No Instagram account is linked to the pages that you shared: Brass Bakery.',
    );
  });

  test('with a personal account says how to change it', async () => {
    const more = { ...unlinked, connected_instagram_account: { id: '17', username: 'ada' } };
    expect(await logInWith(pageOf('0', { more }))).toContain(
      "@ada is linked to the page Brass Bakery as a personal account, which can't publish through other apps.",
    );
  });

  test('without the task to create content names the page', async () => {
    expect(await logInWith(pageOf(server.user.id, { tasks: ['ANALYZE'] }))).toContain(
      "@ada: Your role at the page Brass Bakery doesn't let you create content.",
    );
  });

  test('that lacks a permission names it', async () => {
    logins.withheldScopes.add('instagram_content_publish');
    try {
      expect(await logInWith(pageOf(server.user.id))).toContain(
        'This login lacks these permissions: instagram_content_publish.',
      );
    } finally {
      logins.withheldScopes.clear();
    }
  });
});

test('a personal account at Instagram says how to change it', async () => {
  server.accountType = 'PERSONAL';
  const { id, url } = await openSession();
  const browser = createBrowser();
  const consent = await browser.submit(await browser.visit(url), { decision: 'connect' });
  const { html } = await browser.submit(consent, { decision: 'allow' });
  expect(plain(html)).toContain("A personal account can't publish through other apps.");
  const { data } = (await app.api.get(`/v1/connect/sessions/${id}`)).body;
  expect(data).toMatchObject({ status: 'pending' });
  server.accountType = 'BUSINESS';
});

test('an account that needs media and takes no threads says so', async () => {
  logins.pages.splice(0, Infinity, pageOf(server.user.id));
  const { id, url } = await openSession();
  await consentAtFacebook(url);
  const { data } = (await app.api.get(`/v1/connect/sessions/${id}`)).body;
  const account_id = data.completed_social_account_id as string;
  const codesOf = async (target: object) => {
    const platform_posts = [{ account_id, caption: 'Hello', ...target }];
    const answer = await app.api.post('/v1/posts/validate', { platform_posts });
    const { errors, warnings } = answer.body.data as Record<string, { field: string; code: string }[]>;
    return [...errors!, ...warnings!].map(({ field, code }) => [field, code]);
  };
  const at = (field: string) => `platform_posts[0].${field}`;
  expect(await codesOf({})).toEqual([['media', 'media_required']]);
  expect(await codesOf({ in_reply_to: '17895695668004550' })).toEqual([]);
  expect(await codesOf({ in_reply_to: '17895695668004550', caption: '' })).toEqual([
    [at('caption'), 'caption_required'],
  ]);
  expect(await codesOf({ thread_position: 0 })).toContainEqual([
    at('thread_position'),
    'threads_not_supported',
  ]);
  expect(await codesOf({ platform_options: { placement: 'story' } })).toContainEqual([
    at('caption'),
    'caption_ignored',
  ]);
});

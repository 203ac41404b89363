// What every network must do without faults, through the whole of Fanfare. The same cases run at a simulator
// and at a real server.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { canRefresh } from '../../../../activities/logins/login-columns.ts';
import { rulesOf } from '../../../../activities/platforms/index.ts';
import type { Credentials, Platform } from '../../../../activities/platforms/platform.ts';
import type { ConnectSession } from '../../../../schema/accounts.ts';
import { fixedLimits } from '../../../../schema/wire/limits.ts';
import type { Db } from '../../../../schema/database/tables.ts';
import type { PlatformRules } from '../../../../schema/platforms/definition.ts';
import { newId } from '../../../../schema/wire/ids.ts';
import { refreshLoginsWorkflow } from '../../../../schema/workflows.ts';
import { startApp, type TestApp } from '../../app/app.ts';
import { createBrowser, type Page } from '../../app/browser.ts';
import { readGranted } from '../../rows/grants.ts';
import { createTestDatabase, type TestDatabase } from '../../rows/database.ts';
import { refusal } from '../../checks/platform-refusal.ts';
import { readHistories, readTables } from '../../checks/traces.ts';
import { createTestLog } from '../../log.ts';
import { connectClient, contractUser, secretsOf, type LiveClient } from './live-client.ts';
import type { LiveNetwork, NetworkSubject, PublicPost } from './subject.ts';
import { textOf } from './texts.ts';

/** `textLimit` is optional, because a real server has its own limit. */
export interface LiveSubject extends Pick<
  NetworkSubject,
  | 'name'
  | 'options'
  | 'refusedOptions'
  | 'textOf'
  | 'hasFlatThreads'
  | 'needsMedia'
  | 'requiredOptions'
  | 'refreshesOnlyOld'
> {
  readonly textLimit?: number;
  start(db: Db): Promise<LiveNetwork & AsyncDisposable & { listSecrets?(): string[] }>;
  /** Accounts connect by consent only. Default: by the form, and also by consent if the network has it. */
  readonly isByConsent?: boolean;
  /** How long a post or a user's consent may take. */
  readonly patienceMs?: number;
  /** Called with each post that is now at the network. `post`: the post's address there, or its ID. */
  onPublished?(post: string): void;
}

export function describeLiveCases(subject: LiveSubject): void {
  const { isByConsent = false } = subject;
  let database: TestDatabase;
  let network: Awaited<ReturnType<LiveSubject['start']>>;
  let app: TestApp;
  let client: LiveClient;
  let platform: Platform;
  let rules: PlatformRules;
  const testLog = createTestLog('debug');
  /** Tokens of the account. */
  const tokens: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    network = await subject.start(database.db);
    app = await startApp({ database, env: network.env, log: testLog.log });
    platform = app.context.platforms.get(subject.name)!;
    client = await connectClient(app, {
      platform: subject.name,
      network,
      isByConsent,
      ...(subject.needsMedia && { needsMedia: subject.needsMedia }),
      ...(subject.requiredOptions && { requiredOptions: subject.requiredOptions }),
      patienceMs: subject.patienceMs ?? 25_000,
      onPublished: (post) => subject.onPublished?.(post),
    });
    rules = rulesOf(platform, await client.readTraits());
  });
  afterAll(async () => {
    await app?.stop();
    await network?.[Symbol.asyncDispose]();
    await database?.drop();
  });

  /** The public post of a result. Undefined: nobody can read it back. */
  async function readBack(id: string | null): Promise<PublicPost | undefined> {
    const posts = await network.listPosts?.();
    const found = posts?.filter((post) => post.id === id);
    if (found) expect(found, `${id} of ${JSON.stringify(posts)}`).toHaveLength(1);
    return found?.[0];
  }

  async function expectAtNetwork(id: string | null, expected: Partial<PublicPost>): Promise<void> {
    const post = await readBack(id);
    if (post) expect(post).toMatchObject(expected);
  }

  const countAccounts = async () =>
    (await client.call('GET', '/v1/accounts')).body.data.length as number;

  const listEvents = async () => {
    const { body } = await client.call('GET', '/v1/events');
    return (body.data as { event: string }[]).map(({ event }) => event);
  };

  const validate = async (body: object) =>
    (await client.call('POST', '/v1/posts/validate', body)).body.data as {
      valid: boolean;
      errors: Record<string, unknown>[];
    };

  /**
   * Returns the first issue that validation finds in a post of the account. Creating the post must fail with
   * the same issue.
   */
  async function expectRefused(target: Record<string, unknown>) {
    const body = { platform_posts: [client.targetOf(target)] };
    const { valid, errors } = await validate(body);
    expect(valid).toBe(false);
    const { field, code, actual, limit } = errors[0]!;
    const created = await client.call('POST', '/v1/posts', body);
    expect(created.status).toBe(422);
    const issue = {
      path: field,
      code,
      ...(actual !== null && { actual }),
      ...(limit !== null && { limit }),
    };
    expect(created.body.error.issues[0]).toMatchObject(issue);
    return issue;
  }

  /** Reads the limit from the validation of a text that is too long, since accounts may have different limits. */
  async function readTextLimit(): Promise<number> {
    const most = fixedLimits.captionCharacters;
    for (let length = 256; length < most; length *= 2) {
      const body = { platform_posts: [client.targetOf({ caption: 'a'.repeat(length) })] };
      const { errors } = await validate(body);
      const found = errors.find(({ code }) => code === 'caption_too_long');
      if (found) return found['limit'] as number;
    }
    return most;
  }

  const makeText = (length: number) => subject.textOf?.(length) ?? textOf(length, rules.text.unit);

  /** A new caption, which no other post of the network has. */
  const newCaption = () => `Hello from Fanfare ${newId('result')}`;

  describe('connecting', () => {
    test('gives an active account, once for each account of the network', async () => {
      const read = await client.call('GET', `/v1/accounts/${client.accountId}`);
      expect(read.body.data).toMatchObject({ platform: subject.name, status: 'active' });
      expect(read.body.data.account_name).toBeTruthy();
      expect(await listEvents()).toContain('account.connected');
      if (isByConsent) return expect(await client.connectByConsent()).toBe(client.accountId);
      const again = await client.connect(network.credentials);
      expect([again.status, again.body.data.id]).toEqual([200, client.accountId]);
    });

    test('has a hosted page for each way, which says what it asks for', async () => {
      const created = await client.call('POST', '/v1/connect/sessions', {
        platform: subject.name,
        external_user_id: contractUser,
      });
      const { id, url, login } = created.body.data as ConnectSession;
      const browser = createBrowser(sendTo(app.url));
      const first = await browser.visit(url!);
      const offered = platform.connect.filter(
        (way) => login === null || (way.kind === 'consent' && way.name === login),
      );
      for (const [i, way] of offered.entries()) {
        const page = i === 0 ? first : await browser.visit(`${app.url}/connect/${id}?way=${i + 1}`);
        const schema = way.kind === 'form' ? way.fields : way.inputs;
        if (schema) expectExplained(page, schema);
      }
    });

    test('ends the session as canceled if the user refuses at the network', async ({ skip }) => {
      skip(!network.consent, 'The network has no consent.');
      expect(await client.refused).toEqual([]);
    });

    test('connects every account that the user chooses, with one login', async ({ skip }) => {
      skip(!network.consentForAll, 'A login has one account.');
      const ids = await client.connectAll();
      expect(ids.length).toBeGreaterThan(1);
      expect(ids).toContain(client.accountId);
      const readLogins = () =>
        app.context.db
          .selectFrom('social_accounts')
          .select(['grant_id', 'status'])
          .distinct()
          .where('id', 'in', ids)
          .execute();
      expect(await readLogins()).toEqual([
        { grant_id: expect.any(String) as string, status: 'active' },
      ]);
      // The other accounts of the login keep it.
      const [other] = ids.filter((id) => id !== client.accountId);
      expect((await client.call('DELETE', `/v1/accounts/${other}`)).status).toBe(204);
      const read = await client.call('GET', `/v1/accounts/${client.accountId}`);
      expect(read.body.data.status).toBe('active');
    });

    test('connects the same account on the hosted page', async ({ skip }) => {
      skip(isByConsent, 'The account is connected by consent.');
      if (network.consent) expect(await client.connectByConsent()).toBe(client.accountId);
      const session = await client.call('POST', '/v1/connect/sessions', {
        platform: subject.name,
        external_user_id: contractUser,
      });
      const browser = createBrowser(sendTo(app.url));
      const { id, url } = session.body.data as { id: string; url: string };
      await browser.visit(url);
      const way = platform.connect.findIndex(({ kind }) => kind === 'form') + 1;
      const page = await browser.visit(`${app.url}/connect/${id}?way=${way}`);
      for (const { credentials } of network.wrongCredentials) {
        const refused = await browser.submit(page, { ...credentials, decision: 'connect' });
        expect([refused.status, refused.html.includes('role="alert"')]).toEqual([422, true]);
        for (const secret of secretsOf(credentials)) expect(refused.html).not.toContain(secret);
      }
      await browser.submit(page, { ...network.credentials, decision: 'connect' });
      const ended = await client.call('GET', `/v1/connect/sessions/${id}`);
      expect(ended.body.data).toMatchObject({
        status: 'completed',
        completed_social_account_id: client.accountId,
      });
    });

    test('refuses wrong credentials by their field, and connects nothing', async ({ skip }) => {
      skip(isByConsent, 'The account is connected by consent.');
      const before = await countAccounts();
      for (const { field, credentials } of network.wrongCredentials) {
        const refused = await client.connect(credentials);
        expect(refused.status, JSON.stringify(refused.body)).toBe(422);
        const paths = (refused.body.error.issues as { path: string }[]).map(({ path }) => path);
        expect(paths).toEqual([`credentials.${field}`]);
        for (const secret of secretsOf(credentials)) {
          expect(JSON.stringify(refused.body)).not.toContain(secret);
        }
      }
      expect(await countAccounts()).toBe(before);
    });
  });

  describe.concurrent('publishing', () => {
    test('takes a text at the limit, as the network counts', async () => {
      const limit = await readTextLimit();
      if (subject.textLimit !== undefined) expect(limit).toBe(subject.textLimit);
      const caption = makeText(limit);
      const [result] = await client.publish([{ caption }]);
      await expectAtNetwork(result!.external_id, { text: caption });
    });

    test('refuses a text over the limit, and says both lengths', async () => {
      const limit = await readTextLimit();
      const issue = await expectRefused({ caption: makeText(limit + 1) });
      expect(issue).toEqual({
        path: 'platform_posts[0].caption',
        code: 'caption_too_long',
        actual: limit + 1,
        limit,
      });
    });

    test.each(subject.options)('sends the options $given', async ({ given, arrives, caption }) => {
      const text = caption === undefined ? newCaption() : caption;
      const [result] = await client.publish([
        { ...(text !== null && { caption: text }), platform_options: given },
      ]);
      await expectAtNetwork(result!.external_id, { options: arrives });
    });

    test('refuses an unknown option', async () => {
      const platform_options = { ...subject.requiredOptions, no_such_option: 1 };
      const issue = await expectRefused({ caption: 'a', platform_options });
      expect(issue.path).toBe('platform_posts[0].platform_options.no_such_option');
    });

    test.each(subject.refusedOptions ?? [])(
      'refuses the options at $path: $code',
      async ({ given, path, code }) => {
        const issue = await expectRefused({ caption: 'a', platform_options: given });
        expect(issue).toMatchObject({
          path: `platform_posts[0].platform_options.${path}`,
          code,
        });
      },
    );

    test('answers a post', async () => {
      const { replies } = rules;
      if (!replies) {
        const { path, code } = await expectRefused({ caption: 'a', in_reply_to: '1' });
        expect([path, code]).toEqual(['platform_posts[0].in_reply_to', 'replies_not_supported']);
        return;
      }
      const [first] = await client.publish([{ caption: newCaption() }]);
      expect(first!.external_id).toMatch(replies.id);
      const caption = newCaption();
      const [reply] = await client.publish([{ caption, in_reply_to: first!.external_id }]);
      await expectAtNetwork(reply!.external_id, { text: caption, replyTo: first!.external_id });
    });

    test('publishes a thread in its order', async () => {
      const parts = [0, 1, 2].map((thread_position) => ({
        thread_position,
        caption: `${thread_position}: ${newCaption()}`,
      }));
      const { replies } = rules;
      if (!replies || replies.areComments) {
        const platform_posts = parts.map((part) => client.targetOf(part));
        const { errors } = await validate({ platform_posts });
        expect(errors[0]).toMatchObject({
          code: replies ? 'threads_not_supported' : 'replies_not_supported',
        });
        return;
      }
      const results = await client.publish(parts);
      for (const [i, { caption, external_id }] of results.entries()) {
        const answered = results[subject.hasFlatThreads ? Math.min(i, 1) - 1 : i - 1];
        const replyTo = answered?.external_id ?? null;
        await expectAtNetwork(external_id, { text: parts[i]!.caption, replyTo });
        expect(caption).toBe(parts[i]!.caption);
      }
    });

    test('comments on its own post', async () => {
      const first_comment = `A comment: ${newCaption()}`;
      const target = { caption: newCaption(), first_comment };
      if (!rules.replies) {
        const { path, code } = await expectRefused(target);
        expect([path, code]).toEqual(['platform_posts[0].first_comment', 'replies_not_supported']);
        return;
      }
      const [result] = await client.publish([target]);
      const comment = result!.first_comment!;
      expect(comment).toMatchObject({ status: 'published' });
      const replyTo = result!.external_id;
      await expectAtNetwork(comment.external_id, { text: first_comment, replyTo });
    });
  });

  test('refreshes its login before it ends, where the network lets us', async ({ skip }) => {
    const old = (await client.readCredentials())!;
    skip(!canRefresh(platform, old), 'This login has no refresh.');
    skip(subject.refreshesOnlyOld === true, 'A new login is not refreshed.');
    const readVersion = async () =>
      (await readGranted(database.db, client.accountId)).credential_version!;
    const version = await readVersion();
    const { namespace, context } = app;
    await database.db.updateTable('grants').set({ refresh_at: new Date() }).execute();
    await namespace.client.workflow.execute(refreshLoginsWorkflow, {
      workflowId: 'refresh-of-a-test',
      taskQueue: context.config.temporal.taskQueue,
      args: [],
    });
    const fresh = (await client.readCredentials())!;
    expect(await readVersion()).toBe(version + 1);
    tokens.push(...secretsOf(old), ...secretsOf(fresh));
    await client.publish([{ caption: newCaption() }]);
  });

  describe('disconnecting', () => {
    let credentials: Credentials;
    let status: number;
    beforeAll(async () => {
      credentials = (await client.readCredentials())!;
      ({ status } = await client.call('DELETE', `/v1/accounts/${client.accountId}`));
    });

    test('ends the account', async () => {
      expect(status).toBe(204);
      const read = await client.call('GET', `/v1/accounts/${client.accountId}`);
      expect(read.body.data.status).toBe('disconnected');
      expect(await listEvents()).toContain('account.disconnected');
      const post = { caption: 'a', account_ids: [client.accountId] };
      expect((await validate(post)).valid).toBe(false);
      expect(await client.readCredentials()).toBeNull();
    });

    test('ends our access where the network lets us', async ({ skip }) => {
      const { revoke, refresh } = platform;
      if (!revoke || !refresh) return skip('The network revokes or refreshes no logins.');
      const signal = AbortSignal.timeout(5_000);
      const app = network.app ? { id: 'app_of_a_test', ...network.app } : null;
      const refused = await refusal(refresh({ credentials, app }, signal));
      expect(refused.kind).toBe('reauthorize');
    });

    test('has left no secret in any answer, table, log line or workflow history', async () => {
      const secrets = [...tokens, ...secretsOf(network.credentials)];
      secrets.push(...(network.listSecrets?.() ?? []));
      const lines = testLog.lines.map((line) => JSON.stringify(line));
      const histories = await readHistories(app.namespace);
      const tables = await readTables(database.db);
      const places = { answers: client.answers, tables, lines, histories };
      for (const [place, texts] of Object.entries(places)) {
        expect([place, texts.length > 0]).toEqual([place, true]);
        const found = secrets.filter((secret) => texts.some((text) => text.includes(secret)));
        expect([place, found]).toEqual([place, []]);
      }
      expect(histories.join()).toContain('postId');
    });
  });
}

interface Field {
  title?: string;
  description?: string;
}

/** Sends only requests to Fanfare, so a consent page is not loaded. */
const sendTo = (url: string) => (to: string, init: RequestInit) =>
  new URL(to).origin === new URL(url).origin ? fetch(to, init) : new Response('elsewhere');

/** Expects that the page has all fields, and explains how to fill them. */
function expectExplained({ status, html }: Page, fields: z.ZodType): void {
  const schema = z.toJSONSchema(fields, { io: 'input', unrepresentable: 'any' }) as {
    description?: string;
    properties: Record<string, Field>;
  };
  expect(status).toBe(200);
  const text = toText(html);
  expect(schema.description, 'how to get the credentials').toBeTruthy();
  expect(text).toContain(withoutMarks(schema.description!));
  for (const [name, { title, description }] of Object.entries(schema.properties)) {
    expect(html).toContain(`name="${name}"`);
    expect([name, !!title, !!description]).toEqual([name, true, true]);
    expect(text).toContain(title);
    expect(text).toContain(withoutMarks(description!));
  }
}

/** The text of the page as a browser shows it. */
function toText(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

const withoutMarks = (description: string) => description.replaceAll('`', '');

// A client of a whole Fanfare that publishes to one network, and remembers every answer.
import { expect, vi } from 'vitest';
import type { Credentials } from '../../../../activities/platforms/platform.ts';
import type { Traits } from '../../../../schema/platforms/definition.ts';
import type { PlatformName } from '../../../../schema/platforms/index.ts';
import type { Post, PostResult } from '../../../../schema/posts/posts.ts';
import type { Api } from '../../app/api.ts';
import type { TestApp } from '../../app/app.ts';
import { video } from '../../media/samples.ts';
import { createMedia, pngOf, putBytes } from '../../media/uploads.ts';
import { readCredentials } from '../../rows/grants.ts';
import type { Decision, LiveNetwork } from './subject.ts';

type Answer = Awaited<ReturnType<Api['call']>>;
type Target = Record<string, unknown>;

export interface LiveClient {
  readonly accountId: string;
  /** The text of every answer. */
  readonly answers: string[];
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** A target of the account, with the media and the options that the network needs. */
  targetOf(target: Target): Target;
  /** Returns the results of the post once it has ended. Fails if the post does not succeed. */
  publish(targets: Target[]): Promise<PostResult[]>;
  connect(credentials: Credentials): ReturnType<LiveClient['call']>;
  /** Returns the account that the user's consent on the hosted page connects. */
  connectByConsent(): Promise<string>;
  /** Returns the accounts that the consent to all accounts of a login connects. */
  connectAll(): Promise<string[]>;
  /**
   * Refuses at the network, and returns the accounts of that session. Absent: the network has no consent
   * page.
   */
  refused?: Promise<string[]>;
  /** The credentials that Fanfare has stored for the account. */
  readCredentials(): Promise<Credentials | null>;
  readTraits(): Promise<Traits>;
}

/** The user of the client, who connects the account again on the hosted page. */
export const contractUser = 'user-1';

export interface LiveAccount {
  platform: PlatformName;
  network: Pick<LiveNetwork, 'credentials' | 'consent' | 'consentForAll'>;
  /** Connects by consent. Default: by the form. */
  isByConsent?: boolean;
  /** Posts need an image, or a video. Absent: they need no media. */
  needsMedia?: 'image' | 'video';
  /** Options that every post needs. Absent: none. */
  requiredOptions?: Record<string, unknown>;
  /** How long a post or a user's consent may take. */
  patienceMs: number;
  /** Called with each post that is now at the network. `post`: the post's address there, or its ID. */
  onPublished(post: string): void;
}

export async function connectClient(app: TestApp, given: LiveAccount): Promise<LiveClient> {
  const { platform, network, isByConsent, needsMedia, requiredOptions, patienceMs } = given;
  const answers: string[] = [];
  async function call(method: string, path: string, body?: unknown) {
    const answer = await app.api.call(method, path, body);
    answers.push(answer.text);
    return answer;
  }
  const connect = (given: Credentials) =>
    call('POST', '/v1/accounts/connect', {
      platform,
      credentials: given,
      external_user_id: contractUser,
    });

  /** Returns the accounts that the session has connected. */
  async function visitNetwork(
    giveConsent: (url: string) => Promise<void> | void,
    status: string,
  ): Promise<string[]> {
    const created = await call('POST', '/v1/connect/sessions', {
      platform,
      external_user_id: contractUser,
    });
    expect(created.status, answers.at(-1)).toBe(201);
    const { id, url } = created.body.data as { id: string; url: string };
    await giveConsent(url);
    const options = { timeout: patienceMs, interval: 200 };
    return vi.waitFor(async () => {
      const { data } = (await call('GET', `/v1/connect/sessions/${id}`)).body;
      expect(data).toMatchObject({ status });
      return data.completed_social_account_ids as string[];
    }, options);
  }

  const decide = (decision: Decision) => (url: string) => network.consent!(url, decision);
  const connectByConsent = async () => (await visitNetwork(decide('allow'), 'completed'))[0]!;

  async function connectByForm(): Promise<string> {
    const connected = await connect(network.credentials);
    expect(connected.status, answers.at(-1)).toBe(201);
    return connected.body.data.id as string;
  }

  // The refusal comes before the first consent, because some networks don't ask again after that.
  const refused = network.consent && visitNetwork(decide('deny'), 'canceled');
  await refused?.catch(() => undefined);
  const accountId = await (isByConsent ? connectByConsent() : connectByForm());
  const mediaIds = needsMedia && [await uploadFile(app, needsMedia)];

  const targetOf = (target: Target): Target => ({
    account_id: accountId,
    ...(mediaIds && target['in_reply_to'] === undefined && { media_ids: mediaIds }),
    ...target,
    ...(requiredOptions && {
      platform_options: { ...requiredOptions, ...(target['platform_options'] as object) },
    }),
  });

  async function publish(targets: Target[]): Promise<PostResult[]> {
    const platform_posts = targets.map(targetOf);
    const created = await call('POST', '/v1/posts', { platform_posts });
    expect(created.status, answers.at(-1)).toBe(202);
    await app.tenant.waitForPost(created.body.data.id, { timeoutMs: patienceMs });
    const { results } = (await call('GET', `/v1/posts/${created.body.data.id}`)).body.data as Post;
    const all = results.flatMap(({ first_comment, ...result }) => [result, first_comment ?? []]);
    for (const { url, external_id } of all.flat()) {
      if (external_id !== null) given.onPublished(url ?? external_id);
    }
    for (const result of results) {
      expect(result, JSON.stringify(result)).toMatchObject({ status: 'published' });
    }
    return results;
  }

  const readRow = () =>
    app.context.db
      .selectFrom('social_accounts')
      .selectAll()
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow();
  return {
    accountId,
    answers,
    call,
    targetOf,
    publish,
    connect,
    connectByConsent,
    connectAll: () => visitNetwork(network.consentForAll!, 'completed'),
    ...(refused && { refused }),
    readCredentials: () => readCredentials(app.context.db, app.context.vault, accountId),
    readTraits: async () => (await readRow()).traits,
  };
}

async function uploadFile({ api }: TestApp, kind: 'image' | 'video'): Promise<string> {
  const isVideo = kind === 'video';
  const file = isVideo ? { filename: 'video.mp4', content_type: 'video/mp4' } : {};
  const { id, upload_url } = await createMedia(api, file);
  await putBytes(upload_url, await (isVideo ? video('mp4', 0, { seconds: 4 }) : pngOf(32, 32)));
  return id as string;
}

/** Whether the name is that of a secret. Also finds secrets that a network's connector forgot to mark. */
export const isSecretName = (name: string) =>
  /password|secret|token|key|webhook|jw[kt]/i.test(name);

/** The credentials that nobody may see. */
export function secretsOf(credentials: Credentials): string[] {
  return Object.entries(credentials)
    .filter(([name]) => isSecretName(name))
    .map(([, value]) => value);
}

// State made through operations: tenants, accounts, webhooks, posts.
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import type { Caller, Context } from '../../../api/http/context.ts';
import type { Account } from '../../../schema/accounts.ts';
import { setProject } from '../../../schema/database/projects.ts';
import type { EventType } from '../../../schema/event-types.ts';
import type { Post } from '../../../schema/posts/posts.ts';
import type { WebhookWithSecret } from '../../../schema/webhooks.ts';
import { createApi, type Api } from './api.ts';

/** A project, its key, and what the holder of the key can do. */
export interface Tenant {
  readonly projectId: string;
  readonly key: string;
  readonly caller: Caller;
  readonly api: Api;
  /** Connects a sandbox account; the handles of different tenants may be the same. */
  connectSandbox(handle: string, options?: Record<string, unknown>): Promise<Account>;
  createWebhook(url: string, events?: EventType[]): Promise<WebhookWithSecret>;
  createPost(post: Record<string, unknown>): Promise<Post>;
  /** The post once it has ended, with any outcome. */
  waitForPost(id: string, options?: { timeoutMs?: number }): Promise<Post>;
}

export async function createTenant(context: Context, name = 'test'): Promise<Tenant> {
  const { row, key } = await createProjectWithKey(context.db, name);
  // Some networks ask for this URL when they review an app.
  await setProject(context.db, row.project_id, { privacy_url: 'https://example.com/privacy' });
  const api = createApi(context.publicUrl, key);
  return {
    projectId: row.project_id,
    key,
    caller: {
      projectId: row.project_id,
      keyId: row.id,
      keyName: row.name,
      scopes: row.scopes,
      environment: row.environment,
      keyExpiresAt: row.expires_at,
    },
    api,
    connectSandbox: (handle, options = {}) =>
      create<Account>(api, '/v1/accounts/connect', {
        platform: 'sandbox',
        credentials: { handle },
        ...options,
      }),
    createWebhook: (url, events) =>
      create<WebhookWithSecret>(api, '/v1/webhooks', { url, ...(events ? { events } : {}) }),
    createPost: (post) => create<Post>(api, '/v1/posts', post),
    waitForPost: (id, options) => waitForPost(api, id, options),
  };
}

async function create<T>(api: Api, path: string, body: unknown): Promise<T> {
  const answer = await api.post(path, body);
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer.body.data as T;
}

export async function waitForPost(
  api: Api,
  id: string,
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<Post> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await api.get(`/v1/posts/${id}`);
    const post = answer.body.data as Post;
    if (['published', 'partial', 'failed', 'canceled'].includes(post.status)) return post;
    if (Date.now() > deadline) {
      throw new Error(`Post ${id} has not ended within ${timeoutMs} ms: ${answer.text}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

// A project whose accounts have a monthly limit, and the calls that tests make for it.
import type { TestAnswer, TestRest } from '../app/rest.ts';

export interface QuotaProject {
  projectId: string;
  key: string;
  /** Accounts. */
  ids: [string, ...string[]];
  setLimit: (limit: number | null) => Promise<TestAnswer>;
  post: (body: object, headers?: Record<string, string>) => Promise<TestAnswer>;
  /** Makes any call below `/v1/posts/`. */
  call: (method: string, path: string, body?: object) => Promise<TestAnswer>;
  usage: (id: string, month?: string) => Promise<Record<string, unknown>>;
  /** The number of published targets of an account. Default: in the current month. */
  published: (id: string, month?: string) => Promise<number>;
}

export async function createQuotaProject(
  rest: TestRest,
  { limit, accounts = 1 }: { limit?: number; accounts?: number } = {},
): Promise<QuotaProject> {
  const { projectId, key } = await rest.createTenant();
  const ids: string[] = [];
  for (let i = 0; i < accounts; i++) ids.push(await rest.insertAccount(projectId));

  async function usage(id: string, month?: string) {
    const query = month === undefined ? '' : `?month=${month}`;
    const { body } = await rest.call('GET', `/v1/accounts/${id}/usage${query}`, { key });
    return body.data as Record<string, unknown>;
  }
  const project: QuotaProject = {
    projectId,
    key,
    ids: ids as [string, ...string[]],
    setLimit: (limit) =>
      rest.call('PATCH', '/v1/project', { key, body: { monthly_posts_per_account: limit } }),
    post: (body, headers = {}) =>
      rest.call('POST', '/v1/posts', { key, body: { caption: 'Hello', ...body }, headers }),
    call: (method, path, body) => rest.call(method, `/v1/posts/${path}`, { key, body }),
    usage,
    published: async (id, month) => (await usage(id, month)).published as number,
  };
  if (limit !== undefined) await project.setLimit(limit);
  return project;
}

/** The middle of the month that is this many months ahead. */
export function inMonth(ahead: number): { at: string; month: string } {
  const now = new Date();
  const date = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 15));
  return { at: date.toISOString(), month: date.toISOString().slice(0, 7) };
}

// What the bench's posts go to and its webhooks lead to: of the installation's project, or one tenant each.
import type { EventType } from '../../schema/event-types.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Installation } from './installation.ts';

/** Connects accounts of the sandbox; returns their ids. */
export async function addAccounts({ api }: Installation, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 1; i <= count; i++) {
    const answer = await api.post('/v1/accounts/connect', {
      platform: 'sandbox',
      credentials: { handle: `bench${i}` },
    });
    if (answer.status >= 300) throw new Error(`An account was refused: ${answer.text}`);
    ids.push(answer.body.data.id as string);
  }
  return ids;
}

/** Connects accounts of a simulated network, whose tokens are their IDs; returns their ids. */
export async function importAccounts(
  { api }: Installation,
  platform: string,
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 1; i <= count; i++) {
    const answer = await api.post('/v1/accounts/import', {
      platform,
      access_token: String(17_841_400_000_000_000 + i),
    });
    if (answer.status >= 300) throw new Error(`An account was refused: ${answer.text}`);
    ids.push(answer.body.data.id as string);
  }
  return ids;
}

/** Returns the webhook's id. */
export async function addWebhook(
  { api }: Pick<Installation, 'api'>,
  url: string,
  event: EventType = 'post.published',
): Promise<string> {
  const answer = await api.post('/v1/webhooks', { url, events: [event] });
  if (answer.status !== 201) throw new Error(`A webhook was refused: ${answer.text}`);
  return answer.body.data.id as string;
}

/** A project with one webhook for each URL; returns the projects' ids. */
export async function addTenants(
  installation: Pick<Installation, 'api' | 'db'>,
  urls: readonly string[],
): Promise<string[]> {
  const projectIds: string[] = [];
  for (const [i, url] of urls.entries()) {
    const webhookId = await addWebhook(installation, url);
    const projectId = newId('project');
    await installation.db
      .insertInto('projects')
      .values({ id: projectId, name: `Tenant ${i + 1}` })
      .execute();
    await installation.db
      .updateTable('webhook_subscriptions')
      .set({ project_id: projectId })
      .where('id', '=', webhookId)
      .execute();
    projectIds.push(projectId);
  }
  return projectIds;
}

// The accounts of the projects at the sandbox network.
import type { ChaosClient } from './client.ts';
import { handles } from './planned-posts.ts';

/** IDs of each project's accounts, in the order of `handles`. */
export async function connectAccounts(client: ChaosClient, projects: number): Promise<string[][]> {
  const accountIds: string[][] = [];
  for (let project = 0; project < projects; project++) {
    const own: string[] = [];
    for (const handle of handles) own.push(await connectAccount(client, handle, project));
    accountIds.push(own);
  }
  return accountIds;
}

/** The same account each time. Returns its id. */
export async function connectAccount(
  client: ChaosClient,
  handle: string,
  project: number,
): Promise<string> {
  const body = { platform: 'sandbox', credentials: { handle } };
  const answer = await client.send({ method: 'POST', path: '/v1/accounts/connect', body, project });
  if (answer.status >= 300) throw new Error(`No account: ${answer.text}`);
  return answer.body.data.id as string;
}

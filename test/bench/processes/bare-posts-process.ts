// The baseline of accepted posts: a bare server that makes the inserts of a post in one transaction, and no more.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool, type PoolClient } from 'pg';
import { newId } from '../../../schema/wire/ids.ts';

export interface BarePostsOptions {
  databaseUrl: string;
  connections: number;
  projectId: string;
  /** Of an account. Null: no limit. */
  monthlyLimit: number | null;
}

interface Post {
  account_ids: [string];
  caption: string;
  scheduled_at: string;
}

interface Asked {
  post: Post;
  body: string;
  /** Its Idempotency-Key. */
  key: string | undefined;
}

const options = JSON.parse(process.argv[2]!) as BarePostsOptions;
const { projectId, monthlyLimit } = options;
const pool = new Pool({ connectionString: options.databaseUrl, max: options.connections });

async function read(request: IncomingMessage): Promise<Asked> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
  const key = request.headers['idempotency-key'] as string | undefined;
  return { post: JSON.parse(body) as Post, body, key };
}

async function accept({ post, body, key }: Asked): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    if (key !== undefined) await claimKey(client, key, body);
    const answer = JSON.stringify({ data: await insertPost(client, post) });
    if (key !== undefined) await storeAnswer(client, key, answer);
    await client.query('commit');
    client.release();
    return answer;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

async function claimKey(client: PoolClient, key: string, body: string): Promise<void> {
  const { rowCount } = await client.query(
    `insert into idempotency_keys (project_id, key, fingerprint, environment, scopes)
     values ($1, $2, $3, 'test', '{}') on conflict do nothing`,
    [projectId, key, createHash('sha256').update(body).digest()],
  );
  if (rowCount === 0) throw new Error('The key was used before.');
}

async function storeAnswer(client: PoolClient, key: string, answer: string): Promise<void> {
  await client.query(
    'update idempotency_keys set status = 201, answer = $3 where project_id = $1 and key = $2',
    [projectId, key, Buffer.from(answer)],
  );
}

async function insertPost(
  client: PoolClient,
  { caption, scheduled_at, account_ids: [accountId] }: Post,
): Promise<{ id: string }> {
  const [id, outboxId] = [newId('post'), newId('outbox')];
  const workflowId = `post/${id}/${outboxId}`;
  await client.query(
    'insert into outbox (id, workflow, workflow_id, input, start_at) values ($1, $2, $3, $4, $5)',
    [outboxId, 'publishPost', workflowId, { postId: id, run: 1 }, scheduled_at],
  );
  await client.query(
    `insert into posts (id, project_id, environment, caption, status, scheduled_at, metadata, current_run, workflow_id)
     values ($1, $2, 'test', $3, 'scheduled', $4, '{}', 1, $5)`,
    [id, projectId, caption, scheduled_at, workflowId],
  );
  await client.query(
    `insert into post_results (id, post_id, project_id, position, social_account_id, platform,
       account_name, platform_options, status, phase, phase_state)
     values ($1, $2, $3, 0, $4, 'sandbox', 'bench', '{}', 'pending', 'prepare', 'ready')`,
    [newId('result'), id, projectId, accountId],
  );
  await client.query(
    `insert into changes (project_id, subject, subject_id, kind) values ($1, 'post', $2, 'created')`,
    [projectId, id],
  );
  const { rows } = await client.query<{ published: number }>(
    `insert into account_usage (social_account_id, month, published) values ($1, $2, 1)
     on conflict (social_account_id, month)
     do update set published = account_usage.published + excluded.published
     returning published`,
    [accountId, scheduled_at.slice(0, 7)],
  );
  if (monthlyLimit !== null && rows[0]!.published > monthlyLimit) {
    throw new Error('The account has reached its limit.');
  }
  return { id };
}

const server = createServer((request, response) => {
  read(request)
    .then(accept)
    .then(
      (body) => response.writeHead(201, { 'content-type': 'application/json' }).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send!({ port: (server.address() as AddressInfo).port });

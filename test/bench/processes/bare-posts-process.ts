// The baseline of accepted posts: a bare server that makes the inserts of a post in one transaction, and no more.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { newId } from '../../../schema/wire/ids.ts';

export interface BarePostsOptions {
  databaseUrl: string;
  connections: number;
  projectId: string;
}

interface Asked {
  account_ids: [string];
  caption: string;
  scheduled_at: string;
}

const options = JSON.parse(process.argv[2]!) as BarePostsOptions;
const pool = new Pool({ connectionString: options.databaseUrl, max: options.connections });

async function readJson(request: IncomingMessage): Promise<Asked> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string;
  return JSON.parse(text) as Asked;
}

async function insertPost({
  caption,
  scheduled_at,
  account_ids: [accountId],
}: Asked): Promise<{ id: string }> {
  const { projectId } = options;
  const [id, outboxId] = [newId('post'), newId('outbox')];
  const workflowId = `post/${id}/${outboxId}`;
  const client = await pool.connect();
  try {
    await client.query('begin');
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
    await client.query(
      `insert into account_usage (social_account_id, month, published) values ($1, $2, 1)
       on conflict (social_account_id, month)
       do update set published = account_usage.published + excluded.published`,
      [accountId, scheduled_at.slice(0, 7)],
    );
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
  return { id };
}

const server = createServer((request, response) => {
  readJson(request)
    .then(insertPost)
    .then(
      (data) =>
        response
          .writeHead(201, { 'content-type': 'application/json' })
          .end(JSON.stringify({ data })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send!({ port: (server.address() as AddressInfo).port });

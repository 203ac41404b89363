// The baseline of a calendar: a bare server that reads a page of posts by one statement, and no more.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';

export interface BareCalendarOptions {
  databaseUrl: string;
  projectId: string;
  from: string;
  to: string;
  limit: number;
}

const options = JSON.parse(process.argv[2]!) as BareCalendarOptions;
const { projectId, from, to, limit } = options;
const pool = new Pool({ connectionString: options.databaseUrl, max: 2 });

const statement = `
  select p.*, (
    select json_agg(r order by r.position) from post_results as r where r.post_id = p.id
  ) as results
  from posts as p
  where p.project_id = $1 and p.scheduled_at >= $2 and p.scheduled_at < $3
    and (p.scheduled_at, p.id) > ($4, $5)
  order by p.scheduled_at, p.id limit $6`;

async function read(url: string): Promise<string> {
  const { searchParams } = new URL(url, 'http://bare');
  const after = [searchParams.get('time') ?? from, searchParams.get('id') ?? ''];
  const { rows } = await pool.query({
    name: 'page',
    text: statement,
    values: [projectId, from, to, ...after, limit],
  });
  return JSON.stringify({ data: rows });
}

const server = createServer((request, response) => {
  read(request.url!).then(
    (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send!({ port: (server.address() as AddressInfo).port });

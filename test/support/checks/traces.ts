// What Fanfare leaves behind in Postgres and Temporal, as text to search for secrets.
import { sql } from 'kysely';
import type { Db } from '../../../schema/database/tables.ts';
import type { TestNamespace } from '../servers/temporal.ts';

/** The rows of every table except those of the sandbox network, with the text in their bytea columns. */
export async function readTables(db: Db): Promise<string[]> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_name not like 'sandbox%'
      and table_name not like 'kysely%'`.execute(db);
  return Promise.all(
    tables.rows.map(async ({ name }) => {
      const { rows } = await sql<{ row: string }>`
        select row_to_json(t)::text as row from ${sql.table(name)} t`.execute(db);
      const text = rows.map(({ row }) => row).join('\n');
      return text + hexToText(text);
    }),
  );
}

/** The history of every workflow, with its payloads decoded. */
export async function readHistories({ client }: TestNamespace): Promise<string[]> {
  const histories: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const json = JSON.stringify(history);
    const payloads = [...json.matchAll(/"data":"([^"]+)"/g)].map(([, data]) =>
      Buffer.from(data!, 'base64').toString('utf8'),
    );
    histories.push(json + payloads.join());
  }
  return histories;
}

/** bytea columns come as `\\x…`. Decodes them, so that unsealed text in them becomes readable. */
function hexToText(row: string): string {
  return [...row.matchAll(/\\\\x([0-9a-f]+)/g)]
    .map(([, hex]) => Buffer.from(hex!, 'hex').toString('utf8'))
    .join(' ');
}

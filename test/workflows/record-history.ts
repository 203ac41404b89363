// Saves a workflow's history for the replay test: `node test/workflows/record-history.ts ADDRESS WORKFLOW_ID NAME`.
import { writeFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';

const [address, workflowId, name] = process.argv.slice(2);
if (!address || !workflowId || !name) {
  console.error('Usage: node test/workflows/record-history.ts ADDRESS WORKFLOW_ID NAME');
  process.exit(2);
}
const connection = await Connection.connect({ address });
const history = await new Client({ connection }).workflow.getHandle(workflowId).fetchHistory();
const file = new URL(`histories/${name}.json`, import.meta.url);
await writeFile(file, `${JSON.stringify({ workflowId, history: history })}\n`);
await connection.close();

// A Temporal namespace of its own for each test file, and the time-skipping server for long waits.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, isGrpcServiceError } from '@temporalio/client';
import { inject } from 'vitest';

export interface TestNamespace extends AsyncDisposable {
  readonly address: string;
  readonly namespace: string;
  readonly client: Client;
  close(): Promise<void>;
}

const day = { seconds: 86_400 } as const;

export async function createTestNamespace(): Promise<TestNamespace> {
  const address = inject('temporalAddress');
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  const connection = await Connection.connect({ address });
  await registerNamespace(connection, namespace);
  const client = new Client({ connection, namespace });
  const close = () => connection.close();
  return { address, namespace, client, close, [Symbol.asyncDispose]: close };
}

/**
 * Returns once workflows can be started in the namespace, because the server learns of a new namespace late.
 */
export async function registerNamespace(connection: Connection, namespace: string): Promise<void> {
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: day as never,
  });
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace });
      return;
    } catch (error) {
      if (!isGrpcServiceError(error) || Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}

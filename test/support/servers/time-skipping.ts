// The time-skipping Temporal server, for retry schedules and long waits.
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { installQuietRuntime } from './quiet-runtime.ts';
import { findTestServerExecutable } from './test-server-executable.ts';

export type TimeSkippingEnvironment = TestWorkflowEnvironment;

export async function createTimeSkippingEnvironment(): Promise<TimeSkippingEnvironment> {
  installQuietRuntime();
  const path = await findTestServerExecutable();
  return TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
}

// A workflow whose activities do nothing: what is left is what Temporal itself takes for a run.
import { proxyActivities } from '@temporalio/workflow';

const { doNothing } = proxyActivities<{ doNothing(): Promise<void> }>({
  startToCloseTimeout: '1m',
});

export async function emptyWorkflow(activities: number): Promise<void> {
  await Promise.all(Array.from({ length: activities }, () => doNothing()));
}

// The schedule that prunes records.
import {
  pruneRecordsWorkflow,
  pruneScheduleId,
  type PruneRecordsInput,
} from '../../schema/workflows.ts';
import type { ScheduledWorkflow } from '../keep-schedule.ts';

export function pruningSchedule(taskQueue: string): ScheduledWorkflow {
  const input: PruneRecordsInput = { after: '' };
  return {
    scheduleId: pruneScheduleId(taskQueue),
    workflowType: pruneRecordsWorkflow,
    args: [input],
    everyMs: 3_600_000,
    jitterMs: 600_000,
    component: 'retention',
    purpose: 'prunes records',
  };
}

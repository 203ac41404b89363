// The schedules that every worker keeps: which workflow each starts, and how often.
import {
  pruneRecordsWorkflow,
  pruneScheduleId,
  refreshLoginsWorkflow,
  refreshScheduleId,
  type PruneRecordsInput,
} from '../schema/workflows.ts';
import type { ScheduledWorkflow } from './keep-schedule.ts';

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

export function refreshSchedule(taskQueue: string): ScheduledWorkflow {
  return {
    scheduleId: refreshScheduleId(taskQueue),
    workflowType: refreshLoginsWorkflow,
    args: [],
    everyMs: 300_000,
    jitterMs: 60_000,
    component: 'logins',
    purpose: 'refreshes logins',
  };
}

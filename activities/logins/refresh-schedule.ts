// The schedule that refreshes logins.
import { refreshLoginsWorkflow, refreshScheduleId } from '../../schema/workflows.ts';
import type { ScheduledWorkflow } from '../keep-schedule.ts';

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

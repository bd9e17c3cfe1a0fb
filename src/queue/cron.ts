import { type ParsedCronItem, parseCronItems } from 'graphile-worker'
import { TASK_PREFIX, type TaskName } from './jobs.ts'

const SCHEDULE: Partial<Record<TaskName, string>> = {
  maintain: '*/15 * * * *',
  // Within five minutes, restores the job of a delivery whose job an operator deleted.
  sweep: '*/2 * * * *',
  roll_up: '* * * * *',
  send_alerts: '* * * * *',
  check_jobs: '* * * * *',
}

/**
 * Missed runs are not backfilled: one run does the work of all, also of a failed one. A run that takes longer than its
 * interval is followed by one other run, and never runs beside it.
 */
export function cronItems(): ParsedCronItem[] {
  return parseCronItems(
    Object.entries(SCHEDULE).map(([name, match]) => ({
      task: `${TASK_PREFIX}${name}`,
      identifier: `${TASK_PREFIX}${name}`,
      match,
      options: {
        backfillPeriod: 0,
        queueName: `${TASK_PREFIX}${name}`,
        jobKey: `${TASK_PREFIX}${name}`,
      },
    })),
  )
}

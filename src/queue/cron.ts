import { type ParsedCronItem, parseCronItems } from 'graphile-worker'
import { TASK_PREFIX, type TaskName } from './jobs.ts'

const SCHEDULE: Partial<Record<TaskName, string>> = {
  maintain: '*/15 * * * *',
  // Within five minutes, restores the job of a delivery whose job an operator deleted.
  sweep: '*/2 * * * *',
  roll_up: '* * * * *',
}

/** Missed runs are not backfilled, and replace a failed run that waits for its retry: one run does the work of all. */
export function cronItems(): ParsedCronItem[] {
  return parseCronItems(
    Object.entries(SCHEDULE).map(([name, match]) => ({
      task: `${TASK_PREFIX}${name}`,
      identifier: `${TASK_PREFIX}${name}`,
      match,
      options: { backfillPeriod: 0, jobKey: name },
    })),
  )
}

import { Prisma } from '../db/generated/prisma/client.ts'
import { compileFilter } from '../filters/compile-filter.ts'
import type { Filter } from '../filters/filter.ts'
import { printFilter } from '../filters/read-filter.ts'

/** What is stored of a filter: its text, and what Postgres evaluates. */
export function filterColumns(filter: Filter | null) {
  if (filter === null) {
    return {
      filter: null,
      filterPath: null,
      filterTimes: Prisma.DbNull,
      filterSteps: null,
      filterScans: null,
    }
  }
  const { path, times, cost } = compileFilter(filter)
  return {
    filter: printFilter(filter),
    filterPath: path,
    filterTimes: times.length > 0 ? (times as unknown as Prisma.InputJsonValue) : Prisma.DbNull,
    filterSteps: cost.steps,
    filterScans: cost.scans,
  }
}

/** Prisma reads a null list as an empty one, so `ownRetrySchedule` tells an empty schedule from none. */
export function retryScheduleColumns(seconds: number[] | null) {
  return { ownRetrySchedule: seconds !== null, retryScheduleSeconds: seconds ?? [] }
}

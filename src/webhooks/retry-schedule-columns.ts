/** Prisma reads a null list as an empty one, so `ownRetrySchedule` tells an empty schedule from none. */
export function retryScheduleColumns(seconds: number[] | null) {
  return { ownRetrySchedule: seconds !== null, retryScheduleSeconds: seconds ?? [] }
}

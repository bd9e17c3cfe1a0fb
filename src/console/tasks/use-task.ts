import { useEffect } from 'react'
import { useRead } from '../api/use-read.ts'
import type { DeliveryTaskState } from '../generated/graphql.ts'
import { taskQuery } from './task-query.ts'

/** How often a task is read again: while it queues, and while its deliveries finish. */
const EVERY_MS: Partial<Record<DeliveryTaskState, number>> = { RUNNING: 1_000, DELIVERING: 2_000 }

/** A bulk action, followed until it ends. `task` is null if there is none with this id. */
export function useTask(id: string) {
  const { query, context } = taskQuery
  const { data, error, reload } = useRead(query, { id }, { context })
  const task = data?.deliveryTask
  const everyMs = task ? EVERY_MS[task.state] : undefined
  useEffect(() => {
    if (everyMs === undefined) return
    const timer = setInterval(() => {
      if (!document.hidden) reload()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, reload])
  return { task, error, reload }
}

import { pageQuery } from '../api/page-query.ts'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { TaskDocument } from '../generated/graphql.ts'

export const taskQuery = pageQuery(TaskDocument, ({ params }) => ({ id: params['id'] ?? '' }), [
  'BulkTask',
])

const REFRESH_EVERY_MS = 1_000

/** A bulk action, followed until it ends. `task` is null if there is none with this id. */
export function useTask(id: string) {
  const { query, context } = taskQuery
  const { data, error, reload } = useRead(query, { id }, { context })
  const task = data?.bulkTask
  usePolling(task?.state === 'RUNNING' ? REFRESH_EVERY_MS : null, reload)
  return { task, error, reload }
}

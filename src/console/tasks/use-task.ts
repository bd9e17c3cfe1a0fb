import { pageQuery } from '../api/page-query.ts'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { TaskDocument, type TaskFieldsFragment } from '../generated/graphql.ts'

export const taskQuery = pageQuery(TaskDocument, ({ params }) => ({ id: params['id'] ?? '' }), [
  'BulkTask',
])

/** A bulk action, followed until it ends. `task` is null if there is none with this id. */
export function useTask(id: string) {
  const { query, context } = taskQuery
  const { data, error, reload } = useRead(query, { id }, { context })
  const task = data?.bulkTask
  usePolling(task ? everyMs(task) : null, reload)
  return { task, error, reload }
}

/** How often to read a task again. Also what was queued before a task was stopped finishes later. */
function everyMs({ state, unfinished }: TaskFieldsFragment): number | null {
  if (state === 'RUNNING') return 1_000
  return state === 'DELIVERING' || unfinished > 0 ? 2_000 : null
}

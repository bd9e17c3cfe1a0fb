import { useClient } from 'urql'
import { dataOf } from '../api/data-of.ts'
import { pageOf } from '../api/page-of.ts'
import { JobIdsDocument, type JobState } from '../generated/graphql.ts'
import { type IdsPage, PAGE } from './change-many.ts'

/** What a command changes: some jobs, or all that match the filters. */
export type JobTarget =
  | { readonly ids: readonly string[] }
  | { readonly task: string | null; readonly state: JobState | null }

/** Reads the ids of a target, page by page. */
export function useJobIds(): (target: JobTarget, after: string | null) => Promise<IdsPage> {
  const client = useClient()
  return async (target, after) => {
    if ('ids' in target) {
      const end = Number(after ?? 0) + PAGE
      const next = end < target.ids.length ? String(end) : null
      return { ids: target.ids.slice(end - PAGE, end), next }
    }
    const result = await client
      .query(JobIdsDocument, { ...target, first: PAGE, after }, { requestPolicy: 'network-only' })
      .toPromise()
    const { rows, next } = pageOf(dataOf(result).jobs)
    return { ids: rows.map(({ id }) => id), next }
  }
}

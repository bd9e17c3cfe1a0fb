import { useClient } from 'urql'
import { dataOf, pageOf } from '../../api/data-of.ts'
import { type Outcome, useAction } from '../../api/use-action.ts'
import {
  JobIdsDocument,
  type JobState,
  type JobsChangeFragment,
  JobsFailDocument,
  JobsRemoveDocument,
  JobsRescheduleDocument,
  JobsRunNowDocument,
} from '../../generated/graphql.ts'
import { type IdsPage, PAGE } from './change-many.ts'
import type { CommandName } from './job-commands.ts'

interface CommandInput {
  readonly ids: readonly string[]
  /** For `reschedule`. */
  readonly runAt: string
  /** For `fail`. */
  readonly reason: string
}

type Changes = { readonly changes: readonly JobsChangeFragment[] }

/** Runs a command on jobs. The result has one outcome for each job. */
export function useJobCommands() {
  const runNow = useAction(JobsRunNowDocument)
  const reschedule = useAction(JobsRescheduleDocument)
  const fail = useAction(JobsFailDocument)
  const remove = useAction(JobsRemoveDocument)

  return (name: CommandName, input: CommandInput): Promise<Outcome<Changes>> => {
    const ids = [...input.ids]
    switch (name) {
      case 'run':
        return runNow.run({ ids })
      case 'reschedule':
        return reschedule.run({ ids, input: { runAt: input.runAt } })
      case 'fail':
        return fail.run({ ids, input: { reason: input.reason } })
      case 'remove':
        return remove.run({ ids })
    }
  }
}

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

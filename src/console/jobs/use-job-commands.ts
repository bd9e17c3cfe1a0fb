import { type Outcome, useAction } from '../api/use-action.ts'
import {
  type JobsChangeFragment,
  JobsFailDocument,
  JobsRemoveDocument,
  JobsRescheduleDocument,
  JobsRunNowDocument,
} from '../generated/graphql.ts'
import type { CommandName } from './job-commands.ts'

export interface CommandInput {
  readonly ids: readonly string[]
  /** For `reschedule`. */
  readonly runAt: string
  /** For `fail`. */
  readonly reason: string
}

type Changes = { readonly changes: readonly JobsChangeFragment[] }

/** Asks the server to change jobs. It answers for each of them what became of it. */
export function useJobCommands() {
  const now = useAction(JobsRunNowDocument)
  const reschedule = useAction(JobsRescheduleDocument)
  const fail = useAction(JobsFailDocument)
  const remove = useAction(JobsRemoveDocument)

  return (name: CommandName, given: CommandInput): Promise<Outcome<Changes>> => {
    const ids = [...given.ids]
    switch (name) {
      case 'run':
        return now.run({ ids })
      case 'reschedule':
        return reschedule.run({ ids, runAt: given.runAt })
      case 'fail':
        return fail.run({ ids, reason: given.reason })
      case 'remove':
        return remove.run({ ids })
    }
  }
}

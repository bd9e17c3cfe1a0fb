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

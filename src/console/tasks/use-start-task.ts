import { type Outcome, useAction } from '../api/use-action.ts'
import {
  TaskCancelDeliveriesDocument,
  type TaskFieldsFragment,
  TaskRedeliverDocument,
} from '../generated/graphql.ts'
import { type TargetAction, type TaskTarget, targetInput } from './task-target.ts'

interface StartedTask {
  readonly count: number
  readonly countIsExact: boolean
  readonly task?: TaskFieldsFragment | null
}

interface StartOptions {
  readonly ratePerSecond?: number
  /** Only counts. */
  readonly dryRun?: boolean
}

/** Starts a bulk action, or counts what it would change. Null if its states leave nothing to change. */
export function useStartTask() {
  const redeliver = useAction(TaskRedeliverDocument)
  const cancel = useAction(TaskCancelDeliveriesDocument)

  return async (
    action: TargetAction,
    target: TaskTarget,
    options: StartOptions,
  ): Promise<Outcome<StartedTask> | null> => {
    const selected = targetInput(action, target)
    if (selected === null) return null
    const input = { ...selected, ...options }
    return action === 'REDELIVER' ? await redeliver.run({ input }) : await cancel.run({ input })
  }
}

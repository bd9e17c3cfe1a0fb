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
    const run = (input: object): Promise<Outcome<StartedTask>> =>
      action === 'REDELIVER' ? redeliver.run({ input }) : cancel.run({ input })
    return 'ids' in selected
      ? await changeAtOnce(run, selected.ids, options.dryRun)
      : await run({ ...selected, ...options })
  }
}

/** The server changes at most this many deliveries at once. */
const MAX_IDS = 100

/** An error, if none of the deliveries can be changed. */
async function changeAtOnce(
  run: (input: object) => Promise<Outcome<StartedTask>>,
  ids: readonly string[],
  dryRun = false,
): Promise<Outcome<StartedTask>> {
  let count = 0
  let failed: Outcome<StartedTask> | null = null
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    const outcome = await run({ ids: ids.slice(from, from + MAX_IDS), dryRun })
    if (outcome.ok) count += outcome.value.count
    else failed = outcome
  }
  return count === 0 && failed ? failed : { ok: true, value: { count, countIsExact: true } }
}

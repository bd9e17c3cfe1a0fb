import { useEffect, useEffectEvent, useState } from 'react'
import { useNavigate } from 'react-router'
import { type Outcome, type Rejection, useAction } from '../api/use-action.ts'
import { notifySuccess } from '../components/notify.ts'
import {
  type DeliveryFilter,
  type DeliveryState,
  type MissedEventsInput,
  TaskCancelDeliveriesDocument,
  TaskRedeliverDocument,
} from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'

/** What people do with many deliveries. */
export type TargetAction = 'REDELIVER' | 'CANCEL'

/** The deliveries of a bulk action. */
export type TaskTarget =
  | { readonly ids: readonly string[] }
  | { readonly filter: DeliveryFilter }
  | { readonly missed: MissedEventsInput }

interface Counted {
  readonly count: number
  readonly countIsExact: boolean
  /** The job that was started, if any. */
  readonly task?: { readonly id: string } | null
}

/** Counts what a bulk action would change, and starts the action. Null counts nothing. */
export function useBulkAction(action: TargetAction, target: TaskTarget | null) {
  const redeliver = useAction(TaskRedeliverDocument)
  const cancel = useAction(TaskCancelDeliveriesDocument)
  const navigate = useNavigate()
  const input = target && targetInput(action, target)
  const key = JSON.stringify([action, input])
  const [known, setKnown] = useState<{ key: string; outcome: Outcome<Counted> } | null>(null)
  const run = (of: object): Promise<Outcome<Counted>> =>
    action === 'REDELIVER' ? redeliver.run({ input: of }) : cancel.run({ input: of })

  const count = useEffectEvent(async () =>
    input === null || 'ids' in input
      ? exactly(input?.ids.length ?? 0)
      : await run({ ...input, dryRun: true }),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each input
  useEffect(() => {
    if (!target) return
    let isCurrent = true
    void count().then((outcome) => isCurrent && setKnown({ key, outcome }))
    return () => {
      isCurrent = false
    }
  }, [key, target === null])

  /** Opens the page of the job. A few deliveries are changed at once, without a job. */
  async function start(): Promise<Outcome<Counted>> {
    if (input === null) return exactly(0)
    const outcome = 'ids' in input ? await changeAtOnce(run, input.ids) : await run(input)
    if (!outcome.ok) return outcome
    const { task, count: many } = outcome.value
    if (task) navigate(`/tasks/${task.id}`)
    else {
      const changed = formatCount(many)
      notifySuccess(
        action === 'REDELIVER'
          ? t('{changed} queued', { changed })
          : t('{count} canceled', { count: changed }),
      )
    }
    return outcome
  }

  const running = redeliver.running || cancel.running
  return { counted: known?.key === key ? known.outcome : null, start, running }
}

const exactly = (count: number): Outcome<Counted> => ({
  ok: true,
  value: { count, countIsExact: true },
})

/** The server changes at most this many deliveries at once. */
const MAX_IDS = 100

/** An error if some of the deliveries could not be changed, which says how many were. */
export async function changeAtOnce(
  run: (input: { readonly ids: readonly string[] }) => Promise<Outcome<Counted>>,
  ids: readonly string[],
): Promise<Outcome<Counted>> {
  let count = 0
  let failed: Rejection | null = null
  for (let from = 0; from < ids.length; from += MAX_IDS) {
    const outcome = await run({ ids: ids.slice(from, from + MAX_IDS) })
    if (outcome.ok) count += outcome.value.count
    else failed = outcome
  }
  if (!failed) return exactly(count)
  const changed = `${formatCount(count)} of ${formatCount(ids.length)} were changed. Of the others: `
  return { ...failed, ok: false, message: (count > 0 ? changed : '') + failed.message }
}

/** The states that an action changes. */
const STATES: Record<TargetAction, readonly DeliveryState[]> = {
  REDELIVER: ['RETRYING', 'SUCCEEDED', 'EXHAUSTED', 'CANCELED'],
  CANCEL: ['QUEUED', 'RETRYING', 'WAITING'],
}

/** The states of a filter without states: a redelivery is for what failed. */
const DEFAULT_STATES: typeof STATES = { ...STATES, REDELIVER: ['RETRYING', 'EXHAUSTED'] }

/** The input for the API, without the states that the action cannot change. Null if none is left. */
export function targetInput(action: TargetAction, target: TaskTarget): TaskTarget | null {
  if (!('filter' in target)) return target
  const given = target.filter.states ?? DEFAULT_STATES[action]
  const states = [given].flat().filter((state) => STATES[action].includes(state))
  return states.length === 0 ? null : { filter: { ...target.filter, states } }
}

import { NumberInput, Skeleton, Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { Confirm } from '../components/confirm.tsx'
import { formatCount, plural } from '../lib/format.ts'
import { leavesOut, type TargetAction, type TaskTarget } from './task-target.ts'
import { useStartTask } from './use-start-task.ts'

const DEFAULT_RATE = 500
const MAX_RATE = 5_000

interface StartTaskProps {
  readonly action: TargetAction
  /** Null while the dialog is closed. */
  readonly target: TaskTarget | null
  /** How many of the selected ids are known to have succeeded. */
  readonly succeeded: number
  onClose(): void
  onStart(taskId: string): void
}

/** Asks before a bulk action, with the number of deliveries first. */
export function StartTask({ action, target, succeeded, onClose, onStart }: StartTaskProps) {
  const start = useStartTask()
  const [counted, setCounted] = useState<Counted>(null)
  const [rate, setRate] = useState<number | string>(DEFAULT_RATE)

  const count = useEffectEvent(async (given: TaskTarget) => {
    setCounted(null)
    const outcome = await start(action, given, { dryRun: true })
    if (target !== given) return
    setCounted(
      outcome === null ? { count: 0, countIsExact: true } : outcome.ok ? outcome.value : null,
    )
  })
  useEffect(() => {
    if (target) void count(target)
  }, [target])

  async function confirm(): Promise<string | null> {
    if (target === null) return null
    if (counted?.count === 0) return nothing(action)
    const outcome = await start(action, target, { ratePerSecond: Number(rate) || DEFAULT_RATE })
    if (outcome === null) return nothing(action)
    if (!outcome.ok) return outcome.message
    if (outcome.value.task) onStart(outcome.value.task.id)
    return null
  }

  const isRedelivery = action === 'REDELIVER'
  return (
    <Confirm
      opened={target !== null}
      onClose={onClose}
      title={titleOf(action, counted)}
      action={isRedelivery ? 'Redeliver' : 'Cancel deliveries'}
      destructive={!isRedelivery}
      {...(!isRedelivery && { dismiss: 'Keep' })}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        {counted === null && <Skeleton height={12} w={160} aria-label="Counting …" />}
        {counted?.count === 0 ? (
          <span>{nothing(action)}</span>
        ) : (
          <span>
            {isRedelivery
              ? 'Each delivery keeps its id and starts its retry schedule again; a retrying delivery is sent now. Queued and waiting deliveries are skipped.'
              : 'No further attempts are made, so the endpoints may not get these events. Running attempts finish and are recorded. You can redeliver the deliveries later.'}
          </span>
        )}
        {target && leavesOut(action, target) && (
          <span>
            Of the matching deliveries, only retrying and exhausted ones are redelivered. To
            redeliver others, filter by their state.
          </span>
        )}
        {isRedelivery && succeeded > 0 && (
          <Text inherit c="var(--posthorn-on-orange)">
            {`${formatCount(succeeded)} of them succeeded already: ${plural(succeeded, 'its endpoint receives the same event', 'their endpoints receive the same events')} again.`}
          </Text>
        )}
        <NumberInput
          label="Per second"
          description="The maximum number to queue per second: 1 to 5,000."
          min={1}
          max={MAX_RATE}
          w={240}
          value={rate}
          onChange={setRate}
        />
      </Stack>
    </Confirm>
  )
}

type Counted = { readonly count: number; readonly countIsExact: boolean } | null

function titleOf(action: TargetAction, counted: Counted): string {
  const verb = action === 'REDELIVER' ? 'Redeliver' : 'Cancel'
  if (!counted || counted.count === 0) return `${verb} the selected deliveries?`
  const { count, countIsExact } = counted
  return `${verb} ${formatCount(count)}${countIsExact ? '' : '+'} ${plural(count, 'delivery', 'deliveries')}?`
}

function nothing(action: TargetAction): string {
  return action === 'REDELIVER'
    ? 'None of the selected deliveries can be redelivered: all are queued or waiting. Select retrying, exhausted, canceled or succeeded deliveries.'
    : 'None of the selected deliveries can be canceled: all have finished.'
}

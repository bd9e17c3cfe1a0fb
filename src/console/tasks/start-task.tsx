import { NumberInput, Skeleton, Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { useClient } from 'urql'
import { Confirm } from '../components/confirm.tsx'
import { FormError } from '../components/forms/form-parts.tsx'
import { TaskGroupsDocument } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'
import { type DeliveryGroup, LeftOut } from './left-out.tsx'
import { changesState, restInput, type TargetAction, type TaskTarget } from './task-target.ts'
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

/** Asks before a bulk action: how many deliveries it changes, how many it leaves alone, and why. */
export function StartTask({ action, target, succeeded, onClose, onStart }: StartTaskProps) {
  const start = useStartTask()
  const readGroups = useGroups()
  const [counted, setCounted] = useState<Counted>(null)
  const [leftOut, setLeftOut] = useState<readonly DeliveryGroup[]>([])
  const [rate, setRate] = useState<number | string>(DEFAULT_RATE)

  const count = useEffectEvent(async (given: TaskTarget) => {
    setCounted(null)
    const [outcome, groups] = await Promise.all([
      start(action, given, { dryRun: true }),
      readGroups(action, given),
    ])
    if (target !== given) return
    setLeftOut(groups)
    setCounted(
      outcome === null
        ? { count: 0, countIsExact: true }
        : outcome.ok
          ? outcome.value
          : { error: outcome.message },
    )
  })
  useEffect(() => {
    if (target) void count(target)
  }, [target])

  async function confirm(): Promise<string | null> {
    if (target === null) return null
    const outcome = await start(action, target, { ratePerSecond: Number(rate) || DEFAULT_RATE })
    if (!outcome?.ok) return outcome?.message ?? null
    if (outcome.value.task) onStart(outcome.value.task.id)
    return null
  }

  const isRedelivery = action === 'REDELIVER'
  const isNothing = counted !== null && 'count' in counted && counted.count === 0
  return (
    <Confirm
      opened={target !== null}
      onClose={onClose}
      title={titleOf(action, counted)}
      action={isNothing ? null : isRedelivery ? t('Redeliver') : t('Cancel deliveries')}
      pending={counted === null || 'error' in counted}
      destructive={!isRedelivery}
      {...(!isRedelivery && !isNothing && { dismiss: t('Keep') })}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        {counted === null && <Skeleton height={12} w={160} aria-label="Counting …" />}
        {counted !== null && 'error' in counted && <FormError>{counted.error}</FormError>}
        {!isNothing && (
          <span>
            {isRedelivery
              ? 'Each delivery keeps its id and starts its retry schedule again; a retrying delivery is sent now.'
              : 'No further attempts are made, so the endpoints may not get these events. Running attempts finish and are recorded. You can redeliver the deliveries later.'}
          </span>
        )}
        {counted !== null && leftOut.length > 0 && (
          <Stack gap={4} component="section" aria-label="Left out">
            <Text inherit>{isNothing ? 'Of the selected deliveries:' : 'Left out:'}</Text>
            <LeftOut action={action} groups={leftOut} onChange={onClose} />
          </Stack>
        )}
        {isRedelivery && succeeded > 0 && (
          <Text inherit c="var(--posthorn-on-orange)">
            {formatCount(succeeded)} of them succeeded already: their endpoints receive the same
            events again.
          </Text>
        )}
        {!isNothing && (
          <NumberInput
            label="Per second"
            description="The maximum number to queue per second: 1 to 5,000."
            min={1}
            max={MAX_RATE}
            w={240}
            value={rate}
            onChange={setRate}
          />
        )}
      </Stack>
    </Confirm>
  )
}

type Counted =
  | { readonly count: number; readonly countIsExact: boolean }
  | { readonly error: string }
  | null

function titleOf(action: TargetAction, counted: Counted): string {
  const isRedelivery = action === 'REDELIVER'
  if (!counted || 'error' in counted) {
    return isRedelivery ? 'Redeliver the selected deliveries?' : 'Cancel the selected deliveries?'
  }
  const { count, countIsExact } = counted
  if (count === 0) return isRedelivery ? 'Nothing to redeliver' : 'Nothing to cancel'
  const shown = `${formatCount(count)}${countIsExact ? '' : '+'}`
  return isRedelivery
    ? t('Redeliver {shown} {count, plural, one {delivery} other {deliveries}}?', { shown, count })
    : t('Cancel {shown} {count, plural, one {delivery} other {deliveries}}?', { shown, count })
}

/** Reads the groups of deliveries that an action leaves alone. None if they cannot be read: then the number says enough. */
function useGroups() {
  const client = useClient()
  return async (action: TargetAction, target: TaskTarget): Promise<readonly DeliveryGroup[]> => {
    const rest = restInput(action, target)
    if (rest === null) return []
    const { data } = await client
      .query(TaskGroupsDocument, rest, { requestPolicy: 'network-only' })
      .toPromise()
    const groups = data?.deliveryGroups ?? []
    if (!('ids' in rest)) return groups
    return groups.filter(
      ({ state, webhookDeleted }) =>
        !changesState(action, state) || (action === 'REDELIVER' && webhookDeleted),
    )
  }
}

import { NumberInput, Skeleton, Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { Confirm } from '../components/confirm.tsx'
import { FormError } from '../components/forms/form-parts.tsx'
import { notifySuccess } from '../components/notify.ts'
import { t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'
import type { TargetAction, TaskTarget } from './task-target.ts'
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
  /** Null: the deliveries are changed already. */
  onStart(taskId: string | null): void
}

/** Asks before a bulk action: how many deliveries it changes. */
export function StartTask({ action, target, succeeded, onClose, onStart }: StartTaskProps) {
  const start = useStartTask()
  const [counted, setCounted] = useState<Counted>(null)
  const [rate, setRate] = useState<number | string>(DEFAULT_RATE)

  const count = useEffectEvent(async (given: TaskTarget) => {
    setCounted(null)
    const outcome = await start(action, given, { dryRun: true })
    if (target !== given) return
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

  const isRedelivery = action === 'REDELIVER'

  async function confirm(): Promise<string | null> {
    if (target === null) return null
    const outcome = await start(action, target, { ratePerSecond: Number(rate) || DEFAULT_RATE })
    if (!outcome?.ok) return outcome?.message ?? null
    const { task, count: changed } = outcome.value
    if (!task) {
      const shown = formatCount(changed)
      notifySuccess(
        isRedelivery
          ? t('{changed} queued', { changed: shown })
          : t('{count} canceled', { count: shown }),
      )
    }
    onStart(task?.id ?? null)
    return null
  }

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
        {isRedelivery && succeeded > 0 && (
          <Text inherit c="var(--posthorn-on-orange)">
            {formatCount(succeeded)} of them succeeded already: their endpoints receive the same
            events again.
          </Text>
        )}
        {!isNothing && target !== null && 'filter' in target && (
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

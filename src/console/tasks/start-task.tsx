import { NumberInput, Skeleton, Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { Confirm } from '../components/confirm.tsx'
import { formatCount } from '../format.ts'
import { t } from '../strings/t.ts'
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
      action={isRedelivery ? t('bulk:redeliver') : t('bulk:cancel')}
      destructive={!isRedelivery}
      {...(!isRedelivery && { dismiss: t('bulk:keep') })}
      onConfirm={confirm}
    >
      <Stack gap="sm">
        {counted === null && <Skeleton height={12} w={160} aria-label={t('bulk:count.counting')} />}
        {counted?.count === 0 ? (
          <span>{nothing(action)}</span>
        ) : (
          <span>
            {isRedelivery ? t('bulk:confirmRedeliver.body') : t('bulk:confirmCancel.body')}
          </span>
        )}
        {target && leavesOut(action, target) && (
          <span>{t('bulk:confirmRedeliver.onlyFailed')}</span>
        )}
        {isRedelivery && succeeded > 0 && (
          <Text inherit c="var(--posthorn-on-orange)">
            {t('bulk:confirmRedeliver.succeeded', { count: succeeded })}
          </Text>
        )}
        <NumberInput
          label={t('bulk:rate')}
          description={t('bulk:rateHint')}
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
  const key = action === 'REDELIVER' ? 'confirmRedeliver' : 'confirmCancel'
  if (!counted || counted.count === 0) return t(`bulk:${key}.counting`)
  const total = counted.countIsExact
    ? formatCount(counted.count)
    : t('bulk:atLeast', { count: counted.count })
  return t(`bulk:${key}.title`, { count: counted.count, total })
}

function nothing(action: TargetAction): string {
  return action === 'REDELIVER'
    ? t('bulk:count.nothingToRedeliver')
    : t('bulk:count.nothingToCancel')
}

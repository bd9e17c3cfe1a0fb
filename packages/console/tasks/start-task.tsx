import { Skeleton, Stack, Text } from '@mantine/core'
import { Confirm } from '../components/confirm.tsx'
import { FormError } from '../components/forms/form-parts.tsx'
import { t } from '../language/t.ts'
import { formatCount, plural } from '../lib/format.ts'
import { type TargetAction, type TaskTarget, useBulkAction } from './bulk-action.ts'

interface StartTaskProps {
  readonly action: TargetAction
  /** Null while the dialog is closed. */
  readonly target: TaskTarget | null
  /** How many of the selected ids are known to have succeeded. */
  readonly succeeded: number
  onClose(): void
  onStart?(): void
}

/** Asks before a bulk action: how many deliveries it changes. */
export function StartTask({ action, target, succeeded, onClose, onStart }: StartTaskProps) {
  const { counted, start } = useBulkAction(action, target)
  const texts = TEXTS[action]
  const found = counted?.ok ? counted.value : null
  const isNothing = found?.count === 0
  const title =
    found && texts.title(found.count, `${formatCount(found.count)}${found.countIsExact ? '' : '+'}`)
  return (
    <Confirm
      opened={target !== null}
      onClose={onClose}
      title={isNothing ? texts.nothing : (title ?? texts.ask)}
      action={isNothing ? null : texts.action}
      pending={!found}
      destructive={action === 'CANCEL'}
      {...(action === 'CANCEL' && !isNothing && { dismiss: t('Keep') })}
      onConfirm={start}
      onDone={() => onStart?.()}
    >
      <Stack gap="sm">
        {!counted && <Skeleton height={12} w={160} aria-label="Counting …" />}
        {counted?.ok === false && <FormError>{counted.message}</FormError>}
        {!isNothing && <span>{texts.effect}</span>}
        {action === 'REDELIVER' && succeeded > 0 && (
          <Text inherit c="var(--posthorn-on-orange)">
            {formatCount(succeeded)} of them succeeded already: their endpoints receive the same
            events again.
          </Text>
        )}
      </Stack>
    </Confirm>
  )
}

const TEXTS = {
  REDELIVER: {
    action: t('Redeliver'),
    ask: 'Redeliver the selected deliveries?',
    title: (count: number, shown: string) =>
      plural(
        count,
        t('Redeliver 1 delivery?'),
        t('Redeliver {count} deliveries?', { count: shown }),
      ),
    nothing: 'Nothing to redeliver',
    effect:
      'Each delivery keeps its id and starts its retry schedule again; a retrying delivery is sent now.',
  },
  CANCEL: {
    action: t('Cancel deliveries'),
    ask: 'Cancel the selected deliveries?',
    title: (count: number, shown: string) =>
      plural(count, t('Cancel 1 delivery?'), t('Cancel {count} deliveries?', { count: shown })),
    nothing: 'Nothing to cancel',
    effect:
      'No further attempts are made, so the endpoints may not get these events. Running attempts finish and are recorded. You can redeliver the deliveries later.',
  },
}

import { Radio, Stack } from '@mantine/core'
import { t } from '../language/t.ts'

export type RecoveryInclude = 'FAILED' | 'MISSED'

interface IncludeFieldProps {
  readonly value: RecoveryInclude
  onChange(value: RecoveryInclude): void
}

/** Picks which deliveries a recovery queues. */
export function IncludeField({ value, onChange }: IncludeFieldProps) {
  return (
    <Radio.Group
      label="Which deliveries"
      value={value}
      onChange={(chosen) => onChange(chosen as RecoveryInclude)}
    >
      <Stack gap="xs" mt="xs">
        <Radio
          value="FAILED"
          label={INCLUDES.FAILED}
          description="Exhausted deliveries. Each is retried with the same id and the full retry schedule."
        />
        <Radio
          value="MISSED"
          label={INCLUDES.MISSED}
          description="Events of the current event types without a delivery to this webhook: published while the webhook was disabled, or before the webhook subscribed."
        />
      </Stack>
    </Radio.Group>
  )
}

export const INCLUDES: Record<RecoveryInclude, string> = {
  FAILED: t('Failed'),
  MISSED: 'Missed',
}

import { Radio, Stack } from '@mantine/core'
import type { RecoveryInclude } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'

interface IncludeFieldProps {
  readonly value: RecoveryInclude
  onChange(value: RecoveryInclude): void
}

/** Picks which deliveries a recovery queues. */
export function IncludeField({ value, onChange }: IncludeFieldProps) {
  return (
    <Radio.Group
      label={t('webhooks:includeField.whichDeliveries')}
      value={value}
      onChange={(chosen) => onChange(chosen as RecoveryInclude)}
    >
      <Stack gap="xs" mt="xs">
        <Radio
          value="ALL"
          label={t('webhooks:includeField.failedAndMissed')}
          description={t('webhooks:includeField.allEventsThatThis')}
        />
        <Radio
          value="FAILED"
          label={t('webhooks:includeField.failed')}
          description={t('webhooks:includeField.exhaustedDeliveriesTheyAre')}
        />
        <Radio
          value="MISSED"
          label={t('webhooks:includeField.missed')}
          description={t('webhooks:includeField.eventsWithoutADelivery')}
        />
      </Stack>
    </Radio.Group>
  )
}

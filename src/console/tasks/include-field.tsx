import { Radio, Stack } from '@mantine/core'
import type { RecoveryInclude } from '../generated/graphql.ts'
import { t } from '../strings/t.ts'

interface IncludeFieldProps {
  readonly value: RecoveryInclude
  onChange(value: RecoveryInclude): void
}

/** Picks which deliveries a recovery queues. */
export function IncludeField({ value, onChange }: IncludeFieldProps) {
  return (
    <Radio.Group
      label={t('webhooks:includeField.label')}
      value={value}
      onChange={(chosen) => onChange(chosen as RecoveryInclude)}
    >
      <Stack gap="xs" mt="xs">
        <Radio
          value="ALL"
          label={t('webhooks:includeField.all')}
          description={t('webhooks:includeField.allHint')}
        />
        <Radio
          value="FAILED"
          label={t('webhooks:includeField.failed')}
          description={t('webhooks:includeField.failedHint')}
        />
        <Radio
          value="MISSED"
          label={t('webhooks:includeField.missed')}
          description={t('webhooks:includeField.missedHint')}
        />
      </Stack>
    </Radio.Group>
  )
}

import { Radio, Stack } from '@mantine/core'
import type { RecoveryInclude } from '../../generated/graphql.ts'

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
          value="ALL"
          label="Failed and missed"
          description="All of what it did not receive."
        />
        <Radio
          value="FAILED"
          label="Failed"
          description="Deliveries whose retries are used up. They are redelivered under the same id, with the whole retry schedule before them."
        />
        <Radio
          value="MISSED"
          label="Missed"
          description="Events that it subscribes to now and has no delivery of: published while it was paused, or before it subscribed."
        />
      </Stack>
    </Radio.Group>
  )
}

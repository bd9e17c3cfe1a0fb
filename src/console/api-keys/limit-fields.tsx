import { NumberInput, SimpleGrid } from '@mantine/core'
import type { FieldErrors } from '../components/forms/field-errors.ts'
import { t } from '../strings/t.ts'

/** The rate limits of a key. Null for the default. */
export interface Limits {
  readonly requestsPerSecond: number | null
  readonly eventsPerSecond: number | null
}

const FIELDS = [
  ['requestsPerSecond', t('apiKeys:limitFields.requestsPerSecond'), '500'],
  ['eventsPerSecond', t('apiKeys:limitFields.eventsPerSecond'), '50,000'],
] as const

interface LimitFieldsProps {
  readonly limits: Limits
  readonly errors: FieldErrors<keyof Limits>
  onChange(limits: Limits): void
}

export function LimitFields({ limits, errors, onChange }: LimitFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {FIELDS.map(([field, label, otherwise]) => (
        <NumberInput
          key={field}
          label={label}
          description={t('apiKeys:limitFields.hint', { otherwise })}
          placeholder={otherwise}
          min={1}
          max={1_000_000}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          hideControls
          thousandSeparator=","
          value={limits[field] ?? ''}
          onChange={(value) =>
            onChange({ ...limits, [field]: typeof value === 'number' ? value : null })
          }
          error={errors[field]}
        />
      ))}
    </SimpleGrid>
  )
}

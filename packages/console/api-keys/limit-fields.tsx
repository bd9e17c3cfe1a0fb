import { NumberInput, SimpleGrid } from '@mantine/core'
import type { FieldErrors } from '../components/forms/field-errors.ts'

/** The rate limits of a key. Null for the default. */
export interface Limits {
  readonly requestsPerSecond: number | null
  readonly eventsPerSecond: number | null
  readonly deliveriesPerSecond: number | null
}

const LIMIT_LABELS = {
  requestsPerSecond: 'Requests per second',
  eventsPerSecond: 'Events per second',
  deliveriesPerSecond: 'Deliveries per second',
}

/** What an empty field means. */
export const DEFAULT_LIMITS = {
  requestsPerSecond: '500',
  eventsPerSecond: '50,000',
  deliveriesPerSecond: '10,000',
}

export const LIMIT_FIELDS = ['requestsPerSecond', 'eventsPerSecond', 'deliveriesPerSecond'] as const

interface LimitFieldsProps {
  readonly limits: Limits
  readonly errors: FieldErrors<keyof Limits>
  onChange(limits: Limits): void
}

export function LimitFields({ limits, errors, onChange }: LimitFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {LIMIT_FIELDS.map((field) => (
        <NumberInput
          key={field}
          label={LIMIT_LABELS[field]}
          description={`Empty: ${DEFAULT_LIMITS[field]}.`}
          placeholder={DEFAULT_LIMITS[field]}
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

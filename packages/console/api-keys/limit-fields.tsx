import { NumberInput, SimpleGrid } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'

/** The label of each limit, and what an empty field means. */
const LIMITS = {
  requestsPerSecond: ['Requests per second', '500'],
  eventsPerSecond: ['Events per second', '50,000'],
  deliveriesPerSecond: ['Deliveries per second', '10,000'],
} as const

type Limit = keyof typeof LIMITS

/** The rate limits of a key, as fields of a form. Empty for the default. */
export type Limits = Record<Limit, number | ''>

export const LIMIT_FIELDS = Object.keys(LIMITS) as Limit[]

/** The values of these fields for the API. */
export const limitsOf = (limits: Limits, fields: readonly Limit[] = LIMIT_FIELDS) =>
  Object.fromEntries(fields.map((field) => [field, limits[field] === '' ? null : limits[field]]))

interface LimitFieldsProps {
  readonly propsOf: UseFormReturnType<Limits>['getInputProps']
}

export function LimitFields({ propsOf }: LimitFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      {LIMIT_FIELDS.map((field) => (
        <NumberInput
          key={field}
          label={LIMITS[field][0]}
          description={`Empty: ${LIMITS[field][1]}.`}
          placeholder={LIMITS[field][1]}
          min={1}
          max={1_000_000}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          hideControls
          thousandSeparator=","
          {...propsOf(field)}
        />
      ))}
    </SimpleGrid>
  )
}

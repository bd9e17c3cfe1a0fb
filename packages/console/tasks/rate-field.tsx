import { NumberInput } from '@mantine/core'
import { Advanced } from '../components/forms/advanced.tsx'

export const DEFAULT_RATE = 500

interface RateFieldProps {
  readonly value: number
  readonly error?: string | undefined
  onChange(rate: number): void
}

/** How fast a bulk action queues or cancels deliveries. */
export function RateField({ value, error, onChange }: RateFieldProps) {
  return (
    <Advanced summary={`at most ${value} per second`} opened={error !== undefined}>
      <NumberInput
        label="Per second"
        description="The maximum number to queue per second: 1 to 5,000. The limits of the webhook apply as well."
        min={1}
        max={5_000}
        allowDecimal={false}
        maw={420}
        value={value}
        onChange={(rate) => onChange(Number(rate) || DEFAULT_RATE)}
        error={error}
      />
    </Advanced>
  )
}

import { Group, Radio, Stack, Text } from '@mantine/core'
import { DateTimeInput } from '../../components/forms/date-time-input.tsx'
import { Time } from '../../components/time.tsx'

const DAY_MS = 86_400_000

type ExpiryChoice = 'never' | '30' | '90' | 'date'

export interface Expiry {
  readonly choice: ExpiryChoice
  /** The chosen date, for `date`. */
  readonly at: string | null
}

/** When the key expires; null for never. */
export function expiresAt({ choice, at }: Expiry, nowMs: number): string | null {
  if (choice === 'never') return null
  if (choice === 'date') return at
  return new Date(nowMs + Number(choice) * DAY_MS).toISOString()
}

const CHOICES: readonly (readonly [ExpiryChoice, string])[] = [
  ['never', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['date', 'On a date'],
]

interface ExpiryFieldProps {
  readonly expiry: Expiry
  readonly error: string | undefined
  onChange(expiry: Expiry): void
}

export function ExpiryField({ expiry, error, onChange }: ExpiryFieldProps) {
  const end = expiresAt(expiry, Date.now())
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Expires"
        value={expiry.choice}
        onChange={(choice) => onChange({ ...expiry, choice: choice as ExpiryChoice })}
      >
        <Group gap="lg" mt={6}>
          {CHOICES.map(([value, label]) => (
            <Radio key={value} value={value} label={label} />
          ))}
        </Group>
      </Radio.Group>
      {expiry.choice === 'date' && (
        <DateTimeInput
          label="Date and time"
          description="In your time zone."
          required
          value={expiry.at}
          error={error}
          onChange={(at) => onChange({ ...expiry, at })}
        />
      )}
      <Text size="sm" c="dimmed">
        {expiry.choice === 'never' && 'The key is valid until you revoke it.'}
        {end !== null && error === undefined && (
          <>
            The key expires <Time at={end} />.
          </>
        )}
      </Text>
    </Stack>
  )
}

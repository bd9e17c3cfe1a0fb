import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { randomId } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { t } from '../../language/t.ts'
import { counted, formatDuration } from '../../lib/format.ts'
import { DelayInput } from './delay-input.tsx'

/** What custom delays start with, if the default schedule is unknown. */
const SOME_DELAYS = [5, 300, 1_800, 7_200, 18_000]
const MAX_RETRIES = 20

interface RetryScheduleProps {
  /** In seconds. Null: the default schedule. Empty: no retries. */
  readonly value: readonly number[] | null
  /** The default schedule. Undefined until it is known. */
  readonly defaults: readonly number[] | undefined
  readonly errors: Readonly<Record<string, ReactNode>>
  onChange(delays: number[] | null): void
}

/** Picks the default retry schedule, custom delays, or no retries. */
export function RetrySchedule({ value, defaults, errors, onChange }: RetryScheduleProps) {
  const [keys, setKeys] = useState(() => (value ?? []).map(() => randomId()))
  const [kind, setKind] = useState(
    value === null ? 'default' : value.length > 0 ? 'custom' : 'none',
  )

  function replace(delays: number[] | null) {
    setKeys((delays ?? []).map(() => randomId()))
    onChange(delays)
  }

  function choose(next: string) {
    setKind(next)
    replace(next === 'default' ? null : next === 'custom' ? firstDelays(defaults) : [])
  }

  function add() {
    setKeys([...keys, randomId()])
    onChange([...(value ?? []), Math.min(86_400, 2 * (value?.at(-1) ?? 30))])
  }

  function remove(index: number) {
    setKeys(keys.toSpliced(index, 1))
    onChange((value ?? []).toSpliced(index, 1))
    if (value?.length === 1) setKind('none')
  }

  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('Retries')}
        description="Delays after failed attempts. A Retry-After header in the response can delay the next attempt by up to a day."
        value={kind}
        onChange={choose}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="default" label={defaults ? `Default: ${summaryOf(defaults)}` : 'Default'} />
          <Radio value="custom" label="Custom delays" />
          <Radio value="none" label="None: a delivery is exhausted after one failed attempt" />
        </Stack>
      </Radio.Group>
      {kind === 'custom' && value && (
        <Stack gap="xs" pl={{ base: 0, xs: 28 }}>
          {value.map((seconds, index) => (
            <DelayInput
              key={keys[index] ?? index}
              number={index + 1}
              seconds={seconds}
              error={errors[`retryScheduleSeconds.${index}`]}
              onChange={(changed) => onChange(value.with(index, changed))}
              remove={() => remove(index)}
            />
          ))}
          <Group gap="sm">
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} />}
              disabled={value.length >= MAX_RETRIES}
              onClick={add}
            >
              Add retry
            </Button>
            <Text size="sm" c="dimmed" aria-live="polite">
              {summaryOf(value)}
            </Text>
          </Group>
        </Stack>
      )}
      {errors['retryScheduleSeconds'] && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {errors['retryScheduleSeconds']}
        </Text>
      )}
    </Stack>
  )
}

/** The default schedule, to be changed. The default may have no delay, or delays that a webhook cannot have. */
function firstDelays(defaults: readonly number[] | undefined): number[] {
  const delays = (defaults ?? [])
    .slice(0, MAX_RETRIES)
    .map((seconds) => Math.min(86_400, Math.max(1, Math.round(seconds))))
  return delays.length > 0 ? delays : SOME_DELAYS
}

/** `5 retries over 7 h 35 min` */
export function summaryOf(delays: readonly number[]): string {
  if (delays.length === 0) return 'No retries'
  const sum = delays.reduce((total, seconds) => total + (seconds || 0), 0)
  const time = formatDuration(1_000 * sum)
  return `${counted(delays.length, 'retry', 'retries')} over ${time}`
}

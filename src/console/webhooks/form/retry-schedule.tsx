import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { randomId } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { formatDuration } from '../../format.ts'
import { t } from '../../strings/t.ts'
import { DelayInput } from './delay-input.tsx'

const DEFAULT_DELAYS = [5, 300, 1_800, 7_200, 18_000]
const MAX_RETRIES = 20

interface RetryScheduleProps {
  /** In seconds. Null: the default schedule. Empty: no retries. */
  readonly value: readonly number[] | null
  readonly errors: Readonly<Record<string, ReactNode>>
  onChange(delays: number[] | null): void
}

/** Picks the default retry schedule, custom delays, or no retries. */
export function RetrySchedule({ value, errors, onChange }: RetryScheduleProps) {
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
    replace(next === 'default' ? null : next === 'custom' ? DEFAULT_DELAYS : [])
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
        label={t('webhooks:retrySchedule.label')}
        description={t('webhooks:retrySchedule.hint')}
        value={kind}
        onChange={choose}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="default" label={t('webhooks:retrySchedule.default')} />
          <Radio value="custom" label={t('webhooks:retrySchedule.custom')} />
          <Radio value="none" label={t('webhooks:retrySchedule.none')} />
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
              {t('webhooks:retrySchedule.add')}
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

/** `5 retries over 7 h 35 min` */
export function summaryOf(delays: readonly number[]): string {
  if (delays.length === 0) return 'No retries'
  const sum = delays.reduce((total, seconds) => total + (seconds || 0), 0)
  const retries = delays.length === 1 ? '1 retry' : `${delays.length} retries`
  return `${retries} over ${formatDuration(1_000 * sum)}`
}

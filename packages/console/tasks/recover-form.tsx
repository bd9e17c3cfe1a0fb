import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import type { TimeBounds, TimeValues } from '../components/filters/filter-params.ts'
import { TimeRange, useTimeRange } from '../components/filters/time-range.tsx'
import { FormError } from '../components/forms/form-parts.tsx'
import { Section } from '../components/page/section.tsx'
import type { RecoverWebhookQuery } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { counted as countOf, formatCount } from '../lib/format.ts'
import { type TaskTarget, useBulkAction } from './bulk-action.ts'

/** While the reader types a time, nothing is counted. */
const PAUSE_MS = 300

interface RecoverFormProps {
  readonly webhook: NonNullable<RecoverWebhookQuery['webhook']>
}

/** Chooses what to recover, counts it, and starts the recovery. */
export function RecoverForm({ webhook: { id, enabled, health } }: RecoverFormProps) {
  const [initial] = useState(() => ({ include: 'FAILED', ...rangeOf(health?.failingSince) }))
  const [chosen, setChosen] = useState(initial)
  const [settled] = useDebouncedValue(chosen, PAUSE_MS)
  const target = targetOf(id, settled.include, useTimeRange(settled))
  const { counted, start, running } = useBulkAction('REDELIVER', target)
  const [error, setError] = useState<string | null>(null)
  // A click must not send what the reader has just changed.
  const found = counted?.ok && settled === chosen ? counted.value : null
  // "4,312 deliveries", "100,000 or more deliveries"
  const amount = found?.countIsExact
    ? countOf(found.count, 'delivery', 'deliveries')
    : `${formatCount(found?.count ?? 0)} or more deliveries`

  function change(changes: Partial<typeof chosen>) {
    setChosen({ ...chosen, ...changes })
    setError(null)
  }

  async function resend() {
    const outcome = await start()
    if (!outcome.ok) setError(outcome.message)
  }

  return (
    <Section title="What to recover">
      <Group gap="xs" align="end">
        <TimeRange label="Events published" values={chosen} set={change} />
      </Group>
      {chosen.since !== null && chosen.since === initial.since && (
        <Text size="sm" c="dimmed">
          From one minute before the failures began.
        </Text>
      )}
      <Radio.Group
        label="Which deliveries"
        value={chosen.include}
        onChange={(include) => change({ include })}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="FAILED"
            label={t('Failed')}
            description="Exhausted deliveries. Each is retried with the same id and the full retry schedule."
          />
          <Radio
            value="MISSED"
            label="Missed"
            description="Events of the current event types without a delivery to this webhook: published while the webhook was disabled, or before the webhook subscribed."
          />
        </Stack>
      </Radio.Group>
      <FormError>{error ?? (counted?.ok === false && counted.message)}</FormError>
      <Group justify="space-between" mih={36}>
        <Text size="sm" role="status">
          {target === null && 'Choose a start time.'}
          {target !== null && !found && counted?.ok !== false && 'Counting …'}
          {found?.count === 0 && 'There is nothing to recover in this time range.'}
          {found !== null && found.count > 0 && `${amount} can be re-sent.`}
        </Text>
        {found !== null && found.count > 0 && enabled && (
          <Button loading={running} onClick={resend}>
            {`Re-send ${amount}`}
          </Button>
        )}
      </Group>
    </Section>
  )
}

/** Since shortly before the failures began: the first failed event was published before its attempt. Or of the last day. */
function rangeOf(failingSince: string | null | undefined): TimeValues {
  if (!failingSince) return { within: '24h', since: null, until: null }
  const since = new Date(Date.parse(failingSince) - 60_000).toISOString()
  return { within: null, since, until: null }
}

function targetOf(id: string, include: string, { since, until }: TimeBounds): TaskTarget | null {
  if (since === undefined) return null
  if (include === 'MISSED') return { missed: { webhookId: id, since, until: until ?? null } }
  return {
    filter: { webhookIds: [id], states: ['EXHAUSTED'], since, ...(until && { until }) },
  }
}

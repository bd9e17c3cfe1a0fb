import { Button, Group, NumberInput, SimpleGrid, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { DateTimeInput } from '../components/forms/date-time-input.tsx'
import { type FieldErrors, fieldErrorsOf } from '../components/forms/field-errors.ts'
import { FormError } from '../components/forms/form-parts.tsx'
import { Section } from '../components/page/section.tsx'
import { type RecoverWebhookQuery, TaskRedeliverDocument } from '../generated/graphql.ts'
import { counted, formatCount, formatDuration } from '../lib/format.ts'
import { IncludeField, type RecoveryInclude } from './include-field.tsx'
import { RecoverPresets } from './recover-presets.tsx'

const DEFAULT_RATE = 500
const FIELDS = ['since', 'until', 'ratePerSecond'] as const

interface RecoverFormProps {
  readonly webhook: NonNullable<RecoverWebhookQuery['webhook']>
  onStart(taskId: string): void
}

interface Counted {
  readonly count: number
  readonly countIsExact: boolean
}

/** Chooses what to recover, counts it, and starts the recovery. */
export function RecoverForm({ webhook, onStart }: RecoverFormProps) {
  const { run, running } = useAction(TaskRedeliverDocument)
  const failingFrom = shortlyBefore(webhook.health?.failingSince)
  const [since, setSince] = useState<string | null>(failingFrom)
  const [until, setUntil] = useState<string | null>(null)
  const [include, setInclude] = useState<RecoveryInclude>('FAILED')
  const [rate, setRate] = useState<number | string>(DEFAULT_RATE)
  const [found, setFound] = useState<Counted | null>(null)
  const [errors, setErrors] = useState<FieldErrors<(typeof FIELDS)[number]>>({})

  /** A change invalidates the count. */
  function change<Value>(set: (value: Value) => void) {
    return (value: Value) => {
      set(value)
      setFound(null)
      setErrors({})
    }
  }

  async function submit(dryRun: boolean) {
    if (since === null) return setErrors({ since: 'Choose a start time.' })
    setErrors({})
    const { id } = webhook
    const outcome = await run({
      input: {
        ...(include === 'MISSED'
          ? { missed: { webhookId: id, since, until } }
          : { filter: { webhookIds: [id], states: ['EXHAUSTED'], since, until } }),
        ratePerSecond: rate === '' ? DEFAULT_RATE : Number(rate),
        dryRun,
      },
    })
    if (!outcome.ok) return setErrors(fieldErrorsOf(outcome, FIELDS))
    const { task } = outcome.value
    setFound(dryRun ? outcome.value : null)
    if (task) onStart(task.id)
  }

  return (
    <Section title="What to recover">
      <RecoverPresets
        failingFrom={failingFrom}
        since={since}
        until={until}
        choose={(from) => {
          change(setSince)(from)
          setUntil(null)
        }}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <DateTimeInput
          label="Events published from"
          description="In your time zone."
          value={since}
          onChange={change(setSince)}
          error={errors.since}
        />
        <DateTimeInput
          label="Until"
          description="Empty: now."
          value={until}
          onChange={change(setUntil)}
          error={errors.until}
        />
      </SimpleGrid>
      <IncludeField value={include} onChange={change(setInclude)} />
      <NumberInput
        label="Rate"
        description="Maximum deliveries queued per second, from 1 to 5,000. The limits of the webhook apply as well."
        suffix={` ${'per second'}`}
        maw={420}
        min={1}
        max={5_000}
        allowDecimal={false}
        allowNegative={false}
        value={rate}
        onChange={change(setRate)}
        error={errors.ratePerSecond}
      />
      <FormError>{errors.form}</FormError>
      <Group justify="space-between" mih={36}>
        <Text size="sm" role="status">
          {found && summaryOf(found, Number(rate) || DEFAULT_RATE, waitingOnHold(webhook))}
        </Text>
        <Group gap="xs">
          <Button
            variant={found ? 'default' : 'filled'}
            loading={running}
            onClick={() => submit(true)}
          >
            Preview
          </Button>
          {found && found.count > 0 && webhook.enabled && (
            <Button loading={running} onClick={() => submit(false)}>
              {`Re-send ${amountOf(found)}`}
            </Button>
          )}
        </Group>
      </Group>
    </Section>
  )
}

/** `4,312 deliveries`, `10,000 or more deliveries` */
function amountOf({ count, countIsExact }: Counted): string {
  if (!countIsExact) return `${formatCount(count)} or more deliveries`
  return counted(count, 'delivery', 'deliveries')
}

function summaryOf(found: Counted, ratePerSecond: number, waiting: number): string {
  if (found.count > 0) {
    const time = formatDuration(1_000 * Math.ceil(found.count / ratePerSecond))
    return `${amountOf(found)}, queued in about ${time} at this rate.`
  }
  if (waiting === 0) return 'There is nothing to recover in this time range.'
  return `There is nothing to recover: ${counted(waiting, 'delivery waits', 'deliveries wait')} for the end of the hold. Resume the webhook to send what waits.`
}

/** Deliveries that wait for the end of a hold are queued already, so there is nothing to recover. */
function waitingOnHold({ health, backlog }: RecoverFormProps['webhook']): number {
  return health?.onHoldSince ? (backlog?.count ?? 0) : 0
}

/** One minute earlier: the first failed event was published before its attempt began. */
function shortlyBefore(failingSince: string | null | undefined): string | null {
  return failingSince ? new Date(Date.parse(failingSince) - 60_000).toISOString() : null
}

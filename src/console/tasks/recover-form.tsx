import { Alert, Button, Group, NumberInput, SimpleGrid, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { DateTimeInput } from '../components/forms/date-time-input.tsx'
import { type FieldErrors, fieldErrorsOf } from '../components/forms/field-errors.ts'
import { Section } from '../components/page/section.tsx'
import { formatCount, formatDuration } from '../format.ts'
import {
  type RecoverWebhookQuery,
  type RecoveryInclude,
  TaskRecoverDocument,
} from '../generated/graphql.ts'
import { t } from '../strings/t.ts'
import { IncludeField } from './include-field.tsx'
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
  const { run, running } = useAction(TaskRecoverDocument)
  const failingFrom = shortlyBefore(webhook.health?.failingSince)
  const [since, setSince] = useState<string | null>(failingFrom)
  const [until, setUntil] = useState<string | null>(null)
  const [include, setInclude] = useState<RecoveryInclude>('ALL')
  const [rate, setRate] = useState<number | string>(DEFAULT_RATE)
  const [counted, setCounted] = useState<Counted | null>(null)
  const [errors, setErrors] = useState<FieldErrors<(typeof FIELDS)[number]>>({})

  /** A change invalidates the count. */
  function change<Value>(set: (value: Value) => void) {
    return (value: Value) => {
      set(value)
      setCounted(null)
      setErrors({})
    }
  }

  async function submit(dryRun: boolean) {
    if (since === null) return setErrors({ since: t('webhooks:recoverForm.sinceMissing') })
    setErrors({})
    const outcome = await run({
      input: {
        webhookId: webhook.id,
        since,
        until,
        include,
        ratePerSecond: rate === '' ? DEFAULT_RATE : Number(rate),
        dryRun,
      },
    })
    if (!outcome.ok) return setErrors(fieldErrorsOf(outcome, FIELDS))
    const { task } = outcome.value
    setCounted(dryRun ? outcome.value : null)
    if (task) onStart(task.id)
  }

  return (
    <Section title={t('webhooks:recoverForm.title')}>
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
          label={t('webhooks:recoverForm.since')}
          description={t('webhooks:recoverForm.sinceHint')}
          value={since}
          onChange={change(setSince)}
          error={errors.since}
        />
        <DateTimeInput
          label={t('webhooks:recoverForm.until')}
          description={t('webhooks:recoverForm.untilHint')}
          value={until}
          onChange={change(setUntil)}
          error={errors.until}
        />
      </SimpleGrid>
      <IncludeField value={include} onChange={change(setInclude)} />
      <NumberInput
        label={t('webhooks:recoverForm.rate')}
        description={t('webhooks:recoverForm.rateHint')}
        suffix={t('webhooks:recoverForm.rateSuffix')}
        maw={420}
        min={1}
        max={5_000}
        allowDecimal={false}
        allowNegative={false}
        value={rate}
        onChange={change(setRate)}
        error={errors.ratePerSecond}
      />
      {errors.form && (
        <Alert color="red" variant="light" role="alert">
          {errors.form}
        </Alert>
      )}
      <Group justify="space-between" mih={36}>
        <Text size="sm" role="status">
          {counted && summaryOf(counted, Number(rate) || DEFAULT_RATE, waitingOnHold(webhook))}
        </Text>
        <Group gap="xs">
          <Button
            variant={counted ? 'default' : 'filled'}
            loading={running}
            onClick={() => submit(true)}
          >
            {t('webhooks:recoverForm.preview')}
          </Button>
          {counted && counted.count > 0 && webhook.enabled && (
            <Button loading={running} onClick={() => submit(false)}>
              {counted.countIsExact
                ? t('webhooks:recoverForm.send', amountOf(counted.count))
                : t('webhooks:recoverForm.sendMore', amountOf(counted.count))}
            </Button>
          )}
        </Group>
      </Group>
    </Section>
  )
}

const amountOf = (count: number) => ({ count, formatted: formatCount(count) })

function summaryOf({ count, countIsExact }: Counted, ratePerSecond: number, waiting: number) {
  if (count === 0) {
    return waiting === 0
      ? t('webhooks:recoverForm.nothingFound')
      : t('webhooks:recoverForm.nothingOnHold', amountOf(waiting))
  }
  const time = formatDuration(1_000 * Math.ceil(count / ratePerSecond))
  return countIsExact
    ? t('webhooks:recoverForm.found', { ...amountOf(count), time })
    : t('webhooks:recoverForm.foundMore', { ...amountOf(count), time })
}

/** Deliveries that wait for the end of a hold are queued already, so there is nothing to recover. */
function waitingOnHold({ health, backlog }: RecoverFormProps['webhook']): number {
  return health?.onHoldSince ? (backlog?.count ?? 0) : 0
}

/** One minute earlier: the first failed event was published before its attempt began. */
function shortlyBefore(failingSince: string | null | undefined): string | null {
  return failingSince ? new Date(Date.parse(failingSince) - 60_000).toISOString() : null
}

import { Button, Group, Radio, Skeleton, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { FormError } from '../components/forms/form-parts.tsx'
import { type EraseInput, EraseStartDocument, type UnsentDeliveries } from '../generated/graphql.ts'
import { key, t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'

/** The events of a search key, or some events. */
export type ToErase = Pick<EraseInput, 'eventIds' | 'searchKey'>

interface Counted {
  readonly count: number
  readonly countIsExact: boolean
  readonly unsentCount: number
}

const UNSENT: readonly (readonly [UnsentDeliveries, string])[] = [
  ['SEND_FIRST', key('Send them first. Their events are erased afterwards.')],
  ['CANCEL', key('Cancel them, and erase everything now.')],
]

interface EraseFormProps {
  readonly what: ToErase
  close(): void
  onStarted(erasureId: string): void
}

export function EraseForm({ what, close, onStarted }: EraseFormProps) {
  const { run, running } = useAction(EraseStartDocument)
  const [counted, setCounted] = useState<Counted | null>(null)
  const [unsent, setUnsent] = useState<UnsentDeliveries>('SEND_FIRST')
  const [error, setError] = useState<string | null>(null)

  async function send(dryRun: boolean) {
    const outcome = await run({ input: { ...what, unsent, dryRun } })
    setError(outcome.ok ? null : outcome.message)
    if (!outcome.ok) return
    if (outcome.value.erasure) onStarted(outcome.value.erasure.id)
    else setCounted(outcome.value)
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: counts once
  useEffect(() => void send(true), [])

  return (
    <Stack>
      {what.searchKey && (
        <Text size="sm" className="ph-mono" style={{ overflowWrap: 'anywhere' }}>
          {what.searchKey.path} = {what.searchKey.equals}
        </Text>
      )}
      {counted ? <WillErase counted={counted} /> : !error && <Skeleton h={60} />}
      {counted !== null && counted.unsentCount > 0 && (
        <Radio.Group
          label={t(
            '{count, plural, one {# delivery is not sent yet} other {# deliveries are not sent yet}}',
            { count: counted.unsentCount },
          )}
          value={unsent}
          onChange={(value) => setUnsent(value as UnsentDeliveries)}
        >
          <Stack gap="xs" mt="xs">
            {UNSENT.map(([value, label]) => (
              <Radio key={value} value={value} label={t(label)} />
            ))}
          </Stack>
        </Radio.Group>
      )}
      <FormError>{error}</FormError>
      <Group justify="end" gap="xs">
        <Button variant="default" onClick={close} data-autofocus>
          {t('Cancel')}
        </Button>
        <Button
          color="red.8"
          loading={running && counted !== null}
          disabled={counted === null}
          onClick={() => void send(false)}
        >
          {t('Erase')}
        </Button>
      </Group>
    </Stack>
  )
}

function WillErase({ counted: { count, countIsExact } }: { counted: Counted }) {
  const shown = countIsExact ? formatCount(count) : `${formatCount(count)}+`
  return (
    <Text size="sm">
      {t('Events to erase: {count}.', { count: shown })}{' '}
      {t(
        'Their payloads, their search keys and what receivers answered are erased for good. What was published and sent stays in the lists, and cannot be redelivered.',
      )}
    </Text>
  )
}

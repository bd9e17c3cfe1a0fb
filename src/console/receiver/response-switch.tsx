import { Group, NumberInput, SegmentedControl, Text } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../api/use-action.ts'
import { notifyError } from '../components/notify.ts'
import { Section } from '../components/page/section.tsx'
import {
  ReceiverConfigureDocument,
  type ReceiverQuery,
  type TestReceiverResponse,
} from '../generated/graphql.ts'
import { t } from '../strings/t.ts'

const RESPONSES: readonly { value: TestReceiverResponse; label: string }[] = [
  { value: 'ACCEPT', label: t('onboarding:receiver.accept') },
  { value: 'FAIL', label: t('onboarding:receiver.fail') },
  { value: 'GONE', label: t('onboarding:receiver.gone') },
  { value: 'TIME_OUT', label: t('onboarding:receiver.timeOut') },
]
const MAX_TIMES = 1_000

interface ResponseSwitchProps {
  readonly receiver: NonNullable<ReceiverQuery['testReceiver']>
  reload(): void
}

/** Tells the test receiver how to respond, for some deliveries or until it is switched back. */
export function ResponseSwitch({ receiver, reload }: ResponseSwitchProps) {
  const { respondsWith, remaining } = receiver
  const { run } = useAction(ReceiverConfigureDocument)
  const [times, setTimes] = useState<number | string>('')

  async function change(respondWith: TestReceiverResponse, count: number | string) {
    const isCounted = typeof count === 'number' && respondWith !== 'ACCEPT'
    const outcome = await run({ input: { respondWith, ...(isCounted && { times: count }) } })
    if (!outcome.ok) notifyError(outcome.message)
    reload()
  }

  return (
    <Section title={t('onboarding:receiver.responds')}>
      <Group gap="md" align="end">
        <SegmentedControl
          aria-label={t('onboarding:receiver.responds')}
          data={[...RESPONSES]}
          value={respondsWith}
          onChange={(value) => void change(value as TestReceiverResponse, times)}
        />
        <NumberInput
          label={t('onboarding:receiver.times')}
          placeholder={t('onboarding:receiver.all')}
          min={1}
          max={MAX_TIMES}
          allowDecimal={false}
          w={150}
          value={times}
          onChange={(value) => {
            setTimes(value)
            if (respondsWith !== 'ACCEPT') void change(respondsWith, value)
          }}
        />
      </Group>
      <Text size="sm" c="dimmed" role="status">
        {respondsWith === 'ACCEPT'
          ? t('onboarding:receiver.accepts')
          : remaining === null
            ? t('onboarding:receiver.untilChanged')
            : t('onboarding:receiver.remaining', { count: remaining })}
      </Text>
    </Section>
  )
}

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
import { plural } from '../lib/format.ts'

const RESPONSES: readonly { value: TestReceiverResponse; label: string }[] = [
  { value: 'ACCEPT', label: '200' },
  { value: 'FAIL', label: '500' },
  { value: 'GONE', label: '410' },
  { value: 'TIME_OUT', label: 'Time-out' },
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
    <Section title="Responds with">
      <Group gap="md" align="end">
        <SegmentedControl
          aria-label="Responds with"
          data={[...RESPONSES]}
          value={respondsWith}
          onChange={(value) => void change(value as TestReceiverResponse, times)}
        />
        <NumberInput
          label="Deliveries"
          placeholder="All"
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
          ? 'Every delivery succeeds.'
          : remaining === null
            ? 'Every delivery fails until you choose 200. Watch how Posthorn retries.'
            : `The next ${plural(remaining, 'delivery fails', `${remaining} deliveries fail`)}, then deliveries succeed.`}
      </Text>
    </Section>
  )
}

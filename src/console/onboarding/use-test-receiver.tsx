import { Button } from '@mantine/core'
import { useAction } from '../api/use-action.ts'
import { notifyError, notifySuccess } from '../components/notify.ts'
import { WebhookCreateDocument } from '../generated/graphql.ts'

/** A webhook subscribes to as many types at once. */
const MAX_TYPES = 20

interface UseTestReceiverProps {
  readonly url: string
  readonly types: readonly string[]
  created(): void
}

/** Creates a webhook whose endpoint is the test receiver. */
export function UseTestReceiver({ url, types, created }: UseTestReceiverProps) {
  const { run, running } = useAction(WebhookCreateDocument)

  async function create() {
    const outcome = await run({
      input: {
        url,
        description: 'Test receiver',
        eventSubscriptions: types.slice(0, MAX_TYPES),
        enabled: true,
        // A second click creates no second webhook.
        idempotencyKey: `test-receiver-${url}`,
      },
    })
    if (!outcome.ok) return notifyError(outcome.message)
    notifySuccess('Created a webhook for the test receiver.')
    created()
  }

  return (
    <Button size="xs" variant="default" loading={running} onClick={create}>
      Use the test receiver
    </Button>
  )
}

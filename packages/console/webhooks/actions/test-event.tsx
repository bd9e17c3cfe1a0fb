import { Modal, Skeleton, Text } from '@mantine/core'
import { useRead } from '../../api/use-read.ts'
import { QueryError } from '../../components/query-error.tsx'
import { WebhookCatalogueDocument, type WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { TestEventForm } from './test-event-form.tsx'

interface TestEventProps {
  readonly webhook: WebhookRowFragment
  readonly opened: boolean
  close(): void
}

/** Sends a test event to one webhook, and follows the delivery. */
export function TestEvent({ webhook, opened, close }: TestEventProps) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      centered
      title={<Text fw={650}>{t('Send test event')}</Text>}
    >
      {opened && <WithTypes webhook={webhook} close={close} />}
    </Modal>
  )
}

function WithTypes({ webhook, close }: Omit<TestEventProps, 'opened'>) {
  const { data, error, reload } = useRead(WebhookCatalogueDocument, {})
  if (error && !data) return <QueryError error={error} reload={reload} />
  if (!data) return <Skeleton h={320} />
  const subscriptions = webhook.eventSubscriptions.map(({ name }) => name)
  const types = data.eventTypes.filter(({ name }) => subscriptions.includes(name))
  if (types.length === 0)
    return <Text size="sm">None of this webhook’s event types is in the catalogue.</Text>
  return <TestEventForm webhook={webhook} types={types} close={close} />
}

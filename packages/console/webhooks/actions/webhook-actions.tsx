import { useDisclosure } from '@mantine/hooks'
import {
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { PageActions } from '../../components/page/page-actions.tsx'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { TestEvent } from './test-event.tsx'
import { DeleteWebhook, ToggleWebhook } from './webhook-dialogs.tsx'

/** The actions for a webhook that the viewer's scopes allow. */
export function WebhookActions({ webhook }: { webhook: WebhookRowFragment }) {
  const { can } = useSession()
  const [testing, test] = useDisclosure()
  const [switching, change] = useDisclosure()
  const [deleting, remove] = useDisclosure()
  const { id, enabled } = webhook
  const mayChange = can('webhooks:write')
  const mayDeliver = can('deliveries:write')
  return (
    <>
      <PageActions
        actions={[
          mayDeliver && {
            label: t('Send test event'),
            icon: IconSend,
            isPrimary: true,
            onClick: test.open,
          },
          mayChange && {
            label: enabled ? t('Disable') : t('Enable'),
            icon: enabled ? IconPlayerPause : IconPlayerPlay,
            onClick: change.open,
          },
          mayChange && {
            label: t('Edit'),
            icon: IconPencil,
            to: `/webhooks/${id}/edit`,
            isRare: true,
          },
          mayDeliver &&
            can('deliveries:read') && {
              label: t('Recover deliveries'),
              icon: IconHistory,
              to: `/webhooks/${id}/recover`,
              isRare: true,
            },
          mayChange && {
            label: t('Delete'),
            icon: IconTrash,
            onClick: remove.open,
            isDestructive: true,
            isRare: true,
          },
        ]}
      />
      <TestEvent webhook={webhook} opened={testing} close={test.close} />
      <ToggleWebhook webhook={webhook} opened={switching} close={change.close} />
      <DeleteWebhook webhook={webhook} opened={deleting} close={remove.close} />
    </>
  )
}

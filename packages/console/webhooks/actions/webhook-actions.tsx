import { useDisclosure } from '@mantine/hooks'
import {
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { PageActions } from '../../components/page/page-actions.tsx'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { TestEvent } from './test-event.tsx'
import { type Change, ConfirmChange } from './webhook-change.tsx'

/** The actions for a webhook that the viewer's scopes allow. */
export function WebhookActions({ webhook }: { webhook: WebhookRowFragment }) {
  const { can } = useSession()
  const [testing, test] = useDisclosure()
  const [confirming, confirm] = useDisclosure()
  const [change, setChange] = useState<Change>('disable')
  const { id, enabled } = webhook
  const mayChange = can('webhooks:write')
  const mayDeliver = can('deliveries:write')

  const ask = (asked: Change) => () => {
    setChange(asked)
    confirm.open()
  }

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
          mayChange && { label: t('Edit'), icon: IconPencil, to: `/webhooks/${id}/edit` },
          mayDeliver &&
            can('deliveries:read') && {
              label: t('Recover deliveries'),
              icon: IconHistory,
              to: `/webhooks/${id}/recover`,
            },
          can('secrets:rotate') && {
            label: t('Rotate secret'),
            icon: IconRefresh,
            onClick: ask('rotate'),
          },
          mayChange && {
            label: enabled ? t('Disable') : t('Enable'),
            icon: enabled ? IconPlayerPause : IconPlayerPlay,
            onClick: ask(enabled ? 'disable' : 'enable'),
            isRare: true,
          },
          mayChange && {
            label: t('Delete'),
            icon: IconTrash,
            onClick: ask('delete'),
            isDestructive: true,
            isRare: true,
          },
        ]}
      />
      <TestEvent webhook={webhook} opened={testing} close={test.close} />
      <ConfirmChange change={change} webhook={webhook} opened={confirming} close={confirm.close} />
    </>
  )
}

import { ActionIcon, Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconDots,
  IconHistory,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { Link } from 'react-router'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'
import { DeleteWebhook } from './delete-webhook.tsx'
import { TestEvent } from './test-event.tsx'
import { ToggleWebhook } from './toggle-webhook.tsx'

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
      {mayDeliver && (
        <Button leftSection={<IconSend size={16} />} onClick={test.open}>
          {t('webhooks:actions.test')}
        </Button>
      )}
      {mayChange && (
        <Button
          variant="default"
          leftSection={enabled ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          onClick={change.open}
        >
          {enabled ? t('webhooks:toggle.disable') : t('webhooks:toggle.enable')}
        </Button>
      )}
      {(mayChange || mayDeliver) && (
        <Menu position="bottom-end" withArrow>
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label={t('webhooks:actions.more')}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {mayChange && (
              <Menu.Item
                component={Link}
                to={`/webhooks/${id}/edit`}
                leftSection={<IconPencil size={16} />}
              >
                {t('webhooks:actions.edit')}
              </Menu.Item>
            )}
            {mayDeliver && can('deliveries:read') && (
              <Menu.Item
                component={Link}
                to={`/webhooks/${id}/recover`}
                leftSection={<IconHistory size={16} />}
              >
                {t('webhooks:actions.recover')}
              </Menu.Item>
            )}
            {mayChange && (
              <Menu.Item
                color="red"
                leftSection={<IconTrash size={16} />}
                onClick={remove.open}
                c="var(--mantine-color-error)"
              >
                {t('webhooks:actions.delete')}
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
      <TestEvent webhook={webhook} opened={testing} close={test.close} />
      <ToggleWebhook webhook={webhook} opened={switching} close={change.close} />
      <DeleteWebhook webhook={webhook} opened={deleting} close={remove.close} />
    </>
  )
}

import { Menu } from '@mantine/core'
import { IconHistory, IconPencil, IconPlayerPlay, IconSend } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { notifyError, notifySuccess } from '../components/notify.ts'
import { WebhookProbeDocument, type WebhookTroubleFragment } from '../generated/graphql.ts'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'
import { isBehindBySettings } from '../webhooks/health/behind-causes.ts'

interface RemediesProps {
  readonly webhook: WebhookTroubleFragment
  resume(): void
  reload(): void
}

/** Whether the viewer may do anything against the trouble of a webhook. */
export function useHasRemedies({ health }: Pick<WebhookTroubleFragment, 'health'>): boolean {
  const { can } = useSession()
  if (health?.state === 'BEHIND') {
    return isBehindBySettings(health.behindCause) && can('webhooks:write')
  }
  return can('deliveries:write')
}

/** The remedies for a webhook in trouble, as items of a menu. */
export function Remedies({ webhook, resume, reload }: RemediesProps) {
  const { run } = useAction(WebhookProbeDocument)
  const { id, health, backlog } = webhook

  async function probe() {
    const outcome = await run({ id })
    if (outcome.ok) notifySuccess('A probe is running.')
    else notifyError(outcome.message)
    reload()
  }

  switch (health?.state) {
    case 'ON_HOLD':
      return (
        <>
          <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={resume}>
            {t('Resume')}
          </Menu.Item>
          {(backlog?.count ?? 0) > 0 && (
            <Menu.Item leftSection={<IconSend size={16} />} onClick={probe}>
              {t('Probe now')}
            </Menu.Item>
          )}
        </>
      )
    case 'BEHIND':
      return (
        <Menu.Item
          component={Link}
          to={`/webhooks/${id}/edit`}
          leftSection={<IconPencil size={16} />}
        >
          {t('Edit webhook')}
        </Menu.Item>
      )
    default:
      return (
        <Menu.Item
          component={Link}
          to={`/webhooks/${id}/recover`}
          leftSection={<IconHistory size={16} />}
        >
          {t('Recover deliveries')}
        </Menu.Item>
      )
  }
}

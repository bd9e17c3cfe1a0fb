import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from 'react-router'
import type { WebhookTroubleFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { ResumeWebhook, ToggleWebhook } from '../actions/webhook-dialogs.tsx'
import { webhookName } from '../webhook-name.ts'
import { BEHIND_CAUSES } from './cause.ts'

/** The one thing to do about the trouble of a webhook, if the viewer may do it. */
export function Remedy({ webhook }: { webhook: WebhookTroubleFragment }) {
  const { can } = useSession()
  const [opened, dialog] = useDisclosure()
  const { id, health } = webhook
  const remedy = health && remedyOf(health)
  if (!remedy || !can(remedy.scope)) return null
  const name = `${remedy.label}: ${webhookName(webhook)}`
  const text = { 'aria-label': name, children: remedy.label }
  const look = { size: 'xs', px: 8, variant: 'default', ...text }
  if ('page' in remedy) {
    return <Button {...look} component={Link} to={`/webhooks/${id}/${remedy.page}`} />
  }
  const Dialog = remedy.dialog
  return (
    <>
      <Button {...look} onClick={dialog.open} />
      <Dialog webhook={webhook} opened={opened} close={dialog.close} />
    </>
  )
}

function remedyOf({ state, behindCause }: NonNullable<WebhookTroubleFragment['health']>) {
  switch (state) {
    case 'ON_HOLD':
      return { label: t('Resume'), scope: 'deliveries:write', dialog: ResumeWebhook }
    case 'DISABLED':
      return { label: t('Enable'), scope: 'webhooks:write', dialog: ToggleWebhook }
    case 'FAILING':
    case 'DEGRADED':
      return { label: t('Recover deliveries'), scope: 'deliveries:write', page: 'recover' }
    case 'BEHIND':
      return behindCause && BEHIND_CAUSES[behindCause].isSetting
        ? { label: t('Edit webhook'), scope: 'webhooks:write', page: 'edit' }
        : null
    default:
      return null
  }
}

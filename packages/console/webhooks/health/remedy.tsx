import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from 'react-router'
import { useScript } from '../../components/use-script.ts'
import type { WebhookTroubleFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { webhookName } from '../webhook-name.ts'
import { BEHIND_CAUSES } from './cause.ts'

/** The one thing to do about the trouble of a webhook, if the viewer may do it. */
export function Remedy({ webhook }: { webhook: WebhookTroubleFragment }) {
  const { can } = useSession()
  const [opened, dialog] = useDisclosure()
  const [script, ask] = useScript(() => import('../actions/webhook-change.tsx'))
  const { id, health } = webhook
  const remedy = health && remedyOf(health)
  if (!remedy || !can(remedy.scope)) return null
  const name = `${remedy.label}: ${webhookName(webhook)}`
  const text = { 'aria-label': name, children: remedy.label }
  const look = { size: 'xs', px: 8, variant: 'default', ...text }
  if ('page' in remedy) {
    return <Button {...look} component={Link} to={`/webhooks/${id}/${remedy.page}`} />
  }
  return (
    <>
      <Button {...look} onClick={async () => (await ask()) && dialog.open()} />
      {script && (
        <script.ConfirmChange
          change={remedy.change}
          webhook={webhook}
          opened={opened}
          close={dialog.close}
        />
      )}
    </>
  )
}

function remedyOf({ state, behindCause }: NonNullable<WebhookTroubleFragment['health']>) {
  switch (state) {
    case 'ON_HOLD':
      return { label: t('Resume'), scope: 'deliveries:write', change: 'resume' } as const
    case 'DISABLED':
      return { label: t('Enable'), scope: 'webhooks:write', change: 'enable' } as const
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

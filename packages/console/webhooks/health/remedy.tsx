import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { notifyError, notifySuccess } from '../../components/notify.ts'
import { WebhookProbeDocument, type WebhookTroubleFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { ResumeWebhook, ToggleWebhook } from '../actions/webhook-dialogs.tsx'
import { webhookName } from '../webhook-name.ts'
import { BEHIND_CAUSES } from './cause.ts'

interface RemedyProps {
  readonly webhook: WebhookTroubleFragment
}

const LOOK = { size: 'xs', variant: 'default' } as const

/** The one thing to do about the trouble of a webhook, if the viewer may do it. */
export function Remedy({ webhook }: RemedyProps) {
  const { can } = useSession()
  const [opened, dialog] = useDisclosure()
  const { id, health } = webhook
  const remedy = health && remedyOf(health)
  if (!remedy || !can(remedy.scope)) return null
  const look = { ...LOOK, 'aria-label': `${remedy.label}: ${webhookName(webhook)}` }
  if ('page' in remedy) {
    return (
      <Button {...look} component={Link} to={`/webhooks/${id}/${remedy.page}`}>
        {remedy.label}
      </Button>
    )
  }
  const Dialog = remedy.dialog
  return (
    <>
      <Button {...look} onClick={dialog.open}>
        {remedy.label}
      </Button>
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

/** Tests the endpoint of a webhook on hold with a delivery that waits. */
export function Probe({ webhook: { id, health, backlog } }: RemedyProps) {
  const { can } = useSession()
  const { run, running } = useAction(WebhookProbeDocument)
  if (health?.state !== 'ON_HOLD' || !backlog?.count || !can('deliveries:write')) return null

  async function probe() {
    const outcome = await run({ id })
    if (outcome.ok) notifySuccess('A probe is running.')
    else notifyError(outcome.message)
  }

  return (
    <Button {...LOOK} loading={running} onClick={probe}>
      {t('Probe now')}
    </Button>
  )
}

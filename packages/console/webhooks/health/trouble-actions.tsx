import { Anchor, Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import { notifyError, notifySuccess } from '../../components/notify.ts'
import { WebhookProbeDocument, type WebhookTroubleFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { useSession } from '../../session/session.tsx'
import { ConfirmChange } from '../actions/webhook-change.tsx'
import { isBehindBySettings } from './behind-causes.ts'

interface TroubleActionsProps {
  readonly webhook: WebhookTroubleFragment
  /** Offers to enable a disabled webhook. Its own page has that button already. */
  readonly withEnable?: boolean
  /** Whether the viewer is on the page that recovers deliveries, and needs no link to that page. */
  readonly recovering?: boolean
  reload(): void
}

/** The remedies for a webhook in trouble, as far as the viewer may use them. */
export function TroubleActions({
  webhook,
  withEnable = false,
  recovering = false,
  reload,
}: TroubleActionsProps) {
  const { can } = useSession()
  const [resuming, resume] = useDisclosure()
  const [enabling, enable] = useDisclosure()
  const { run, running } = useAction(WebhookProbeDocument)
  const { id, health, backlog } = webhook

  async function probe() {
    const outcome = await run({ id })
    if (outcome.ok) notifySuccess('A probe is running.')
    else notifyError(outcome.message)
    reload()
  }

  const isOnHold = health?.state === 'ON_HOLD'
  const isDisabled = health?.state === 'DISABLED'
  const isBehind = health?.state === 'BEHIND'
  return (
    <Group gap={8}>
      {isOnHold && can('deliveries:write') && (
        <>
          {(backlog?.count ?? 0) > 0 && (
            <Button size="xs" variant="default" loading={running} onClick={probe}>
              {t('Probe now')}
            </Button>
          )}
          <Button size="xs" variant="default" onClick={resume.open}>
            {t('Resume')}
          </Button>
        </>
      )}
      {isDisabled && withEnable && can('webhooks:write') && (
        <Button size="xs" variant="default" onClick={enable.open}>
          {t('Enable')}
        </Button>
      )}
      {isBehind && isBehindBySettings(health.behindCause) && can('webhooks:write') && (
        <Anchor component={Link} to={`/webhooks/${id}/edit`} size="sm">
          {t('Edit webhook')}
        </Anchor>
      )}
      {!isOnHold && !isBehind && !recovering && can('deliveries:write') && (
        <Anchor component={Link} to={`/webhooks/${id}/recover`} size="sm">
          {t('Recover deliveries')}
        </Anchor>
      )}
      <ConfirmChange
        change="resume"
        webhook={webhook}
        opened={resuming}
        close={resume.close}
        done={reload}
      />
      <ConfirmChange change="enable" webhook={webhook} opened={enabling} close={enable.close} />
    </Group>
  )
}

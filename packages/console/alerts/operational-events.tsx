import { Anchor, Stack, Switch, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useAction } from '../api/use-action.ts'
import { notifyError } from '../components/notify.ts'
import { Section } from '../components/page/section.tsx'
import {
  type AlertsOperationalEventsFragment,
  AlertsSetOperationalEventsDocument,
  type SetOperationalEventsInput,
} from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { TYPES_OF_TROUBLE } from './alert-kinds.ts'

interface OperationalEventsProps {
  readonly settings: AlertsOperationalEventsFragment
}

/** Whether alerts are events, and whether this organization gets those of all others. */
export function OperationalEvents({ settings }: OperationalEventsProps) {
  const { viewer } = useSession()
  const { run, running } = useAction(AlertsSetOperationalEventsDocument)
  const { enabled, operatorOrganization } = settings
  const { id, name } = viewer.organization
  const isHere = operatorOrganization?.id === id

  async function set(input: SetOperationalEventsInput) {
    const outcome = await run({ input }, { additionalTypenames: ['EventType'] })
    if (!outcome.ok) notifyError(outcome.message)
  }

  return (
    <Section
      title="Operational events"
      description="Alerts as events: signed, retried and shown like any other, in the organization that they concern."
    >
      <Stack gap="md">
        <Switch
          label="Publish operational events"
          description="Adds event types such as posthorn.webhook.on_hold to the catalogue, for all organizations. Off archives them."
          checked={enabled}
          disabled={running}
          onChange={({ currentTarget }) => set({ enabled: currentTarget.checked })}
        />
        <Switch
          label={`${name} gets the alerts of all organizations, too`}
          description={
            operatorOrganization && !isHere
              ? `Now ${operatorOrganization.name} gets them.`
              : 'Their events and mails. For one organization, such as your own.'
          }
          checked={isHere}
          disabled={running}
          onChange={({ currentTarget }) =>
            set({ operatorOrganizationId: currentTarget.checked ? id : null })
          }
        />
        {enabled && (
          <Text size="sm">
            <Anchor
              component={Link}
              to={`/webhooks/new?${new URLSearchParams({ eventTypes: TYPES_OF_TROUBLE.join(',') })}`}
              inherit
            >
              Create a webhook that receives them
            </Anchor>
            , whose body can be a template for Slack, Teams, Discord, Google Chat or PagerDuty. Give
            them a webhook of their own: a webhook that subscribes only to operational events hears
            nothing of itself.
          </Text>
        )}
      </Stack>
    </Section>
  )
}

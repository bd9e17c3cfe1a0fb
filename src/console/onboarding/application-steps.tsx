import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { useSession } from '../session/session.tsx'
import { PublishSnippets } from './publish-snippets.tsx'
import { type Step, StepActions, type Steps } from './step.tsx'

/** In the console: the steps of those who connect an application. */
export function useApplicationSteps({ data }: Steps): readonly Step[] {
  const { can } = useSession()
  const [withCode, setWithCode] = useState(false)
  const steps = data?.firstSteps
  if (!steps) return []
  const { eventTypes } = data
  const webhookId = data.webhooks?.nodes[0]?.id
  const type = eventTypes.find(({ example }) => example != null) ?? eventTypes[0]
  return [
    {
      title: 'Add an endpoint',
      done: steps.webhookCreated,
      children: (
        <>
          Register the HTTPS URL of your server, and choose the event types that it receives.
          <StepActions>
            <Button component={Link} to="/webhooks/new" size="xs">
              Create webhook
            </Button>
          </StepActions>
        </>
      ),
    },
    {
      title: 'Publish an event',
      done: steps.eventPublished,
      children: (
        <>
          Your application publishes events over GraphQL, in SQL or on the command line.
          <StepActions>
            {can('events:publish') && type && (
              <>
                <Button
                  component={Link}
                  to="/events?publish"
                  size="xs"
                  variant={steps.webhookCreated ? 'filled' : 'default'}
                >
                  Publish event
                </Button>
                <Button size="xs" variant="default" onClick={() => setWithCode(!withCode)}>
                  {withCode ? 'Hide the code' : 'Publish from code'}
                </Button>
              </>
            )}
            <Button component={Link} to="/event-types" size="xs" variant="default">
              Show event types
            </Button>
          </StepActions>
          {withCode && type && <PublishSnippets type={type.name} example={type.example} />}
        </>
      ),
    },
    {
      title: 'Receive and verify it',
      done: steps.eventDelivered,
      children: (
        <>
          A delivery succeeds when the endpoint responds with 2xx. Every delivery is signed with the
          secret of its webhook, so that your server accepts only requests from Posthorn: the page
          of the secret has code that verifies signatures.
          <StepActions>
            <Button component={Link} to="/deliveries" size="xs" variant="default">
              Show deliveries
            </Button>
            {webhookId && can('secrets:read') && (
              <Button
                component={Link}
                to={`/webhooks/${webhookId}?tab=secret`}
                size="xs"
                variant="default"
              >
                Show the signing secret
              </Button>
            )}
          </StepActions>
        </>
      ),
    },
  ]
}

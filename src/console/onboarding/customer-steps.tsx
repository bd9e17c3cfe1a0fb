import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { t } from '../language/t.ts'
import { useSession } from '../session/session.tsx'
import { type Step, StepActions, type Steps } from './step.tsx'

/** In the portal: the steps of a customer, who receives the events of an application. */
export function useCustomerSteps({ data }: Steps): readonly Step[] {
  const { can } = useSession()
  const steps = data?.firstSteps
  if (!steps) return []
  const webhookId = data.webhooks?.nodes[0]?.id
  const test = {
    title: t('Send a test event'),
    done: steps.testDelivered,
    children: (
      <>
        {t(
          'Open your endpoint, and send a test event to it. The test succeeds when your server responds with a status of 200 to 299.',
        )}
        {webhookId && (
          <StepActions>
            <Button component={Link} to={`/webhooks/${webhookId}`} size="xs">
              {t('Open endpoint')}
            </Button>
          </StepActions>
        )}
      </>
    ),
  }
  return [
    {
      title: t('Add your endpoint'),
      done: steps.webhookCreated,
      children: (
        <>
          {t('Enter the HTTPS URL of your server, and choose the event types that it receives.')}
          <StepActions>
            <Button component={Link} to="/webhooks/new" size="xs">
              {t('Add endpoint')}
            </Button>
          </StepActions>
        </>
      ),
    },
    ...(can('deliveries:write') ? [test] : []),
    {
      title: t('Verify signatures'),
      done: steps.eventDelivered,
      children: (
        <>
          {t(
            'Every request is signed with the secret of your endpoint. Let your server reject requests without a valid signature. This step is done when the first event has been delivered.',
          )}
          {webhookId && can('secrets:read') && (
            <StepActions>
              <Button
                component={Link}
                to={`/webhooks/${webhookId}?tab=secret`}
                size="xs"
                variant={steps.testDelivered ? 'filled' : 'default'}
              >
                {t('Show the secret and the code')}
              </Button>
            </StepActions>
          )}
        </>
      ),
    },
  ]
}

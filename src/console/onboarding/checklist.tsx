import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { Section } from '../components/page/section.tsx'
import { plural } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import { PublishSnippets } from './publish-snippets.tsx'
import type { useSteps } from './use-steps.ts'
import { UseTestReceiver } from './use-test-receiver.tsx'

/** The way to a first delivery that the receiver verifies. Each step ticks itself. */
export function Checklist({ data, done, isDone, hide, reload }: ReturnType<typeof useSteps>) {
  const { can } = useSession()
  const [withCode, setWithCode] = useState(false)
  if (!data || !done) return null
  const webhookId = data.webhooks?.nodes[0]?.id
  const type = data.eventTypes.find(({ example }) => example != null) ?? data.eventTypes[0]
  const count = Object.values(done).filter(Boolean).length
  return (
    <Section
      title="First steps"
      description={
        isDone
          ? 'Everything works. Your events reach your endpoint, signed.'
          : `${count} of ${Object.keys(done).length} steps done`
      }
      actions={
        <Button size="compact-sm" variant="subtle" onClick={hide}>
          {isDone ? 'Close' : 'Dismiss'}
        </Button>
      }
    >
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
        <Step title="Add an endpoint" done={done.endpoint}>
          Register the HTTPS URL of your server, and choose the event types that it receives.
          {can('webhooks:write') && (
            <Group gap="xs" mt="xs">
              <Button component={Link} to="/webhooks/new" size="xs">
                Create webhook
              </Button>
              {data.testReceiver && (
                <UseTestReceiver
                  url={data.testReceiver.url}
                  types={data.eventTypes.map(({ name }) => name)}
                  created={reload}
                />
              )}
            </Group>
          )}
        </Step>
        <Step title="Know your event types" done={done.eventType}>
          {`The catalogue has ${data.eventTypes.length} event ${plural(data.eventTypes.length, 'type', 'types')}.`}
          <Group gap="xs" mt="xs">
            <Button component={Link} to="/event-types" size="xs" variant="default">
              Show event types
            </Button>
          </Group>
        </Step>
        <Step title="Publish an event" done={done.published}>
          Your application publishes events over GraphQL, in SQL or on the command line.
          {can('events:publish') && type && (
            <Group gap="xs" mt="xs">
              <Button
                component={Link}
                to="/events?publish"
                size="xs"
                variant={done.endpoint ? 'filled' : 'default'}
              >
                Publish event
              </Button>
              <Button size="xs" variant="default" onClick={() => setWithCode(!withCode)}>
                {withCode ? 'Hide the code' : 'Publish from code'}
              </Button>
            </Group>
          )}
          {withCode && type && <PublishSnippets type={type.name} example={type.example} />}
        </Step>
        <Step title="Deliver it" done={done.delivered}>
          A delivery succeeds when the endpoint responds with 2xx. Posthorn retries failed
          deliveries.
          <Group gap="xs" mt="xs">
            <Button component={Link} to="/deliveries" size="xs" variant="default">
              Show deliveries
            </Button>
            {data.testReceiver && (
              <Button component={Link} to="/receiver" size="xs" variant="default">
                Open the test receiver
              </Button>
            )}
          </Group>
        </Step>
        <Step title="Verify the signature" done={done.verified}>
          Every delivery is signed with the secret of its webhook, so that your server accepts only
          requests from Posthorn. The page of the secret has code that verifies signatures.
          {webhookId && can('secrets:read') && (
            <Group gap="xs" mt="xs">
              <Button component={Link} to={`/webhooks/${webhookId}?tab=secret`} size="xs">
                Show the signing secret
              </Button>
            </Group>
          )}
        </Step>
      </Stack>
    </Section>
  )
}

function Step({ title, done, children }: { title: string; done: boolean; children: ReactNode }) {
  return (
    <Group component="li" align="start" wrap="nowrap" gap="sm">
      {done ? (
        <IconCircleCheckFilled
          size={20}
          aria-label="Done"
          style={{ flex: 'none', color: 'var(--posthorn-on-green)' }}
        />
      ) : (
        <IconCircle
          size={20}
          aria-label="Not done yet"
          style={{ flex: 'none', color: 'var(--mantine-color-dimmed)' }}
        />
      )}
      <Stack gap={2} miw={0} flex={1}>
        <Title order={3} size="sm" m={0} lh="20px">
          {title}
        </Title>
        {!done && (
          <Text size="sm" c="dimmed" component="div" maw={720}>
            {children}
          </Text>
        )}
      </Stack>
    </Group>
  )
}

import { Anchor, Button, Group, Stack, Text, ThemeIcon } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Section } from '../components/page/section.tsx'
import { useSession } from '../session/session.tsx'

interface FirstStepsProps {
  /** The first webhook, if there is one. */
  readonly webhookId: string | null
  readonly published: boolean
}

/** What a new organization sees instead of empty charts. */
export function FirstSteps({ webhookId, published }: FirstStepsProps) {
  const { can } = useSession()
  return (
    <Section title="First steps" description="The first delivery takes a few minutes.">
      <Stack component="ol" gap="lg" m={0} p={0} style={{ listStyle: 'none' }}>
        <Step number={1} title="Create webhook" done={webhookId !== null}>
          Enter the HTTPS URL of your endpoint, and choose its event types. If you have no endpoint
          yet, run <code>npx posthorn listen --register</code>.
          {webhookId === null && can('webhooks:write') && (
            <StepButton to="/webhooks/new">Create webhook</StepButton>
          )}
        </Step>
        <Step number={2} title="Send test event" done={false}>
          The webhook’s page sends the example of an event type, and follows the delivery.
          {webhookId !== null && can('deliveries:write') && (
            <StepButton to={`/webhooks/${webhookId}`}>Open the webhook</StepButton>
          )}
        </Step>
        <Step number={3} title="Publish event" done={published}>
          Your application publishes events over GraphQL, in SQL or on the command line.{' '}
          {can('events:publish') && (
            <>
              To try this,{' '}
              <Anchor component={Link} to="/events?publish" inherit underline="always">
                publish an event here
              </Anchor>
              .
            </>
          )}
        </Step>
      </Stack>
    </Section>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly done: boolean
  readonly children: ReactNode
}

function Step({ number, title, done, children }: StepProps) {
  return (
    <Group component="li" align="start" wrap="nowrap" gap="md">
      <ThemeIcon
        radius="xl"
        size={30}
        variant={done ? 'filled' : 'default'}
        color={done ? 'green.8' : undefined}
        aria-label={done ? 'Done' : undefined}
      >
        {done ? <IconCheck size={18} /> : number}
      </ThemeIcon>
      <Stack gap={4} miw={0}>
        <Text component="h3" fw={600} size="sm" m={0} lh="30px">
          {title}
        </Text>
        <Text size="sm" c="dimmed" component="div" maw={560}>
          {children}
        </Text>
      </Stack>
    </Group>
  )
}

function StepButton({ to, children }: { to: string; children: ReactNode }) {
  return (
    <div>
      <Button component={Link} to={to} size="xs" mt="xs">
        {children}
      </Button>
    </div>
  )
}

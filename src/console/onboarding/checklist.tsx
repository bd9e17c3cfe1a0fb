import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { Section } from '../components/page/section.tsx'
import { useSession } from '../session/session.tsx'
import { t } from '../strings/t.ts'
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
      title={t('onboarding:title')}
      description={
        isDone
          ? t('onboarding:allDone')
          : t('onboarding:progress', { count, total: Object.keys(done).length })
      }
      actions={
        <Button size="compact-sm" variant="subtle" onClick={hide}>
          {t(isDone ? 'onboarding:close' : 'onboarding:dismiss')}
        </Button>
      }
    >
      <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
        <Step title={t('onboarding:endpoint.title')} done={done.endpoint}>
          {t('onboarding:endpoint.text')}
          {can('webhooks:write') && (
            <Group gap="xs" mt="xs">
              <Button component={Link} to="/webhooks/new" size="xs">
                {t('onboarding:endpoint.create')}
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
        <Step title={t('onboarding:eventType.title')} done={done.eventType}>
          {t('onboarding:eventType.text', { count: data.eventTypes.length })}
          <Group gap="xs" mt="xs">
            <Button component={Link} to="/event-types" size="xs" variant="default">
              {t('onboarding:eventType.show')}
            </Button>
          </Group>
        </Step>
        <Step title={t('onboarding:published.title')} done={done.published}>
          {t('onboarding:published.text')}
          {can('events:publish') && type && (
            <Group gap="xs" mt="xs">
              <Button
                component={Link}
                to="/events?publish"
                size="xs"
                variant={done.endpoint ? 'filled' : 'default'}
              >
                {t('events:publish.title')}
              </Button>
              <Button size="xs" variant="default" onClick={() => setWithCode(!withCode)}>
                {t(withCode ? 'onboarding:hideCode' : 'onboarding:showCode')}
              </Button>
            </Group>
          )}
          {withCode && type && <PublishSnippets type={type.name} example={type.example} />}
        </Step>
        <Step title={t('onboarding:delivered.title')} done={done.delivered}>
          {t('onboarding:delivered.text')}
          <Group gap="xs" mt="xs">
            <Button component={Link} to="/deliveries" size="xs" variant="default">
              {t('onboarding:delivered.show')}
            </Button>
            {data.testReceiver && (
              <Button component={Link} to="/receiver" size="xs" variant="default">
                {t('onboarding:receiver.open')}
              </Button>
            )}
          </Group>
        </Step>
        <Step title={t('onboarding:verified.title')} done={done.verified}>
          {t('onboarding:verified.text')}
          {webhookId && can('secrets:read') && (
            <Group gap="xs" mt="xs">
              <Button component={Link} to={`/webhooks/${webhookId}?tab=secret`} size="xs">
                {t('onboarding:verified.show')}
              </Button>
            </Group>
          )}
        </Step>
      </Stack>
    </Section>
  )
}

interface StepProps {
  readonly title: string
  readonly done: boolean
  readonly children: ReactNode
}

function Step({ title, done, children }: StepProps) {
  return (
    <Group component="li" align="start" wrap="nowrap" gap="sm">
      {done ? (
        <IconCircleCheckFilled
          size={20}
          aria-label={t('onboarding:done')}
          style={{ flex: 'none', color: 'var(--posthorn-on-green)' }}
        />
      ) : (
        <IconCircle
          size={20}
          aria-label={t('onboarding:notDone')}
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

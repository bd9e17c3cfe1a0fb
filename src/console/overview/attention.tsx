import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { type ReactNode, useMemo } from 'react'
import { Link } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { WebhookStateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { type AttentionWebhookFragment, OverviewAttentionDocument } from '../generated/graphql.ts'
import { formatParked } from '../webhooks/health/format-parked.ts'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'

/** Lists the webhooks that are on hold, failing, or disabled with deliveries waiting. */
export function Attention() {
  const context = useMemo(() => ({ additionalTypenames: ['Webhook'] }), [])
  const { data, error, reload } = useRead(OverviewAttentionDocument, {}, { context })
  useHealthChanges(undefined, reload)
  const onHold = data?.onHold?.nodes ?? []
  const failing = data?.failing?.nodes ?? []
  const waiting = (data?.disabled?.nodes ?? []).filter(({ backlog }) => backlog?.oldest)
  const isMore =
    (data?.onHold?.totalCount ?? 0) > onHold.length ||
    (data?.failing?.totalCount ?? 0) > failing.length
  return (
    <Section title="Needs attention">
      <Stack gap="md" mih={44}>
        {error && !data && <QueryError error={error} retry={reload} />}
        {!data && !error && <Skeleton h={44} />}
        {data && onHold.length + failing.length + waiting.length === 0 && <AllHealthy />}
        {onHold.map((webhook) => (
          <Item key={webhook.id} webhook={webhook}>
            On hold since <At at={webhook.health?.onHoldSince} /> (
            {formatParked(webhook.backlog?.count)} waiting)
            {webhook.health?.lastError && `: ${webhook.health.lastError}`}. Probes test the endpoint
            every few minutes.
          </Item>
        ))}
        {failing.map((webhook) => (
          <Item key={webhook.id} webhook={webhook}>
            Failing since <At at={webhook.health?.failingSince} />, {inARow(webhook)}.
          </Item>
        ))}
        {waiting.map((webhook) => (
          <Item key={webhook.id} webhook={webhook}>
            Disabled, with deliveries waiting since <At at={webhook.backlog?.oldest?.createdAt} />.
          </Item>
        ))}
        {isMore && (
          <Anchor component={Link} to="/webhooks" size="sm">
            Show all webhooks
          </Anchor>
        )}
      </Stack>
    </Section>
  )
}

function AllHealthy() {
  return (
    <Group gap="xs" c="var(--posthorn-on-green)">
      <IconCircleCheck size={20} aria-hidden />
      <Text size="sm" fw={600}>
        All webhooks are healthy
      </Text>
    </Group>
  )
}

interface ItemProps {
  readonly webhook: AttentionWebhookFragment
  readonly children: ReactNode
}

function Item({ webhook: { id, url, description, health }, children }: ItemProps) {
  return (
    <Group gap="sm" align="start" wrap="nowrap">
      {health && <WebhookStateBadge state={health.state} />}
      <Stack gap={0} miw={0}>
        <Anchor
          component={Link}
          to={`/webhooks/${id}`}
          size="sm"
          style={{ overflowWrap: 'anywhere' }}
        >
          {url}
        </Anchor>
        {description && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {description}
          </Text>
        )}
        <Text size="sm">{children}</Text>
      </Stack>
    </Group>
  )
}

function At({ at }: { at: string | null | undefined }) {
  return at ? <Time at={at} /> : 'an unknown time'
}

function inARow({ health }: AttentionWebhookFragment): string {
  const count = health?.consecutiveFailures ?? 0
  return count === 1 ? 'once so far' : `${count} times in a row`
}

import { Anchor, Group, Stack } from '@mantine/core'
import { useMemo } from 'react'
import { Link } from 'react-router'
import { useRead } from '../api/use-read.ts'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { WebhookStateBadge } from '../components/state-badge.tsx'
import { OverviewTroubleDocument, type WebhookTroubleFragment } from '../generated/graphql.ts'
import { formatCount, plural } from '../lib/format.ts'
import { TroubleActions } from '../webhooks/health/trouble-actions.tsx'
import { TroubleText } from '../webhooks/health/trouble-text.tsx'
import { useHealthChanges } from '../webhooks/health/use-health-changes.ts'
import { webhookName } from '../webhooks/webhook-name.ts'

/** The figures below stay within reach. The list of webhooks has the others first. */
const MAX_SHOWN = 5

/** The webhooks in trouble, or disabled with deliveries waiting, the worst first. Empty if there are none. */
export function Trouble() {
  const context = useMemo(() => ({ additionalTypenames: ['Webhook'] }), [])
  const { data, error, reload } = useRead(OverviewTroubleDocument, {}, { context })
  useHealthChanges(undefined, reload)
  if (error && !data) return <QueryError error={error} reload={reload} />
  if (!data) return null
  const inTrouble = data.inTrouble?.nodes ?? []
  const waiting = (data.disabled?.nodes ?? []).filter(({ backlog }) => backlog?.oldest)
  const count = (data.inTrouble?.totalCount ?? 0) + waiting.length
  if (count === 0) return null
  const shown = [...inTrouble, ...waiting].slice(0, MAX_SHOWN)
  return (
    <Section title="Needs attention">
      <div className="ph-rows">
        {shown.map((webhook) => (
          <Item key={webhook.id} webhook={webhook} reload={reload} />
        ))}
      </div>
      {count > shown.length && (
        <Anchor component={Link} to="/webhooks" size="sm">
          {`Show ${plural(count, `${formatCount(count)} webhook that needs`, `all ${formatCount(count)} webhooks that need`)} attention`}
        </Anchor>
      )}
    </Section>
  )
}

function Item({ webhook, reload }: { webhook: WebhookTroubleFragment; reload(): void }) {
  return (
    <Group gap="md" py="sm" align="start" justify="space-between">
      <Stack gap={2} miw={0} style={{ flex: '1 1 20rem' }} fz="sm">
        <Group gap="sm" miw={0}>
          <Anchor component={Link} to={`/webhooks/${webhook.id}`} fw={600} inherit>
            {webhookName(webhook)}
          </Anchor>
          {webhook.health && <WebhookStateBadge state={webhook.health.state} />}
        </Group>
        <TroubleText webhook={webhook} />
      </Stack>
      <TroubleActions webhook={webhook} withEnable reload={reload} />
    </Group>
  )
}

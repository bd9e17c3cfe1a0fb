import { Stack, Text } from '@mantine/core'
import type { Column } from '../../components/lists/list.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount, formatDuration, formatPercent } from '../../format.ts'
import type { WebhookRowFragment } from '../../generated/graphql.ts'
import { WebhookState } from '../health/webhook-state.tsx'

/** The columns of the webhook list, with health for viewers who may see it. */
export function webhookColumns(withHealth: boolean): readonly Column<WebhookRowFragment>[] {
  return withHealth ? [...BASE_COLUMNS, ...HEALTH_COLUMNS] : BASE_COLUMNS
}

const BASE_COLUMNS: readonly Column<WebhookRowFragment>[] = [
  {
    label: 'Webhook',
    width: '36%',
    cell: ({ url, description }) => (
      <Stack gap={2}>
        <span>{url}</span>
        {description && (
          <Text size="xs" c="dimmed" fw={400} lineClamp={1}>
            {description}
          </Text>
        )}
      </Stack>
    ),
  },
  { label: 'State', width: 130, cell: (webhook) => <State {...webhook} /> },
  {
    label: 'Subscribes to',
    cell: ({ eventSubscriptions }) => <Subscriptions names={eventSubscriptions} />,
  },
]

const HEALTH_COLUMNS: readonly Column<WebhookRowFragment>[] = [
  {
    label: 'Success rate',
    end: true,
    cell: ({ health }) =>
      health && (
        <span title={`Of ${formatCount(health.attempts)} attempts`}>
          {typeof health.successRate === 'number' ? formatPercent(health.successRate) : '–'}
        </span>
      ),
  },
  {
    label: 'p95',
    end: true,
    cell: ({ health }) => health && <P95 ms={health.latency?.p95Ms} />,
  },
  {
    label: 'Last success',
    end: true,
    cell: ({ health }) =>
      health &&
      (health.lastSuccessAt ? (
        <Time at={health.lastSuccessAt} as="relative" />
      ) : (
        <Text size="sm" c="dimmed">
          None yet
        </Text>
      )),
  },
]

/** The current state, with its start or the next probe. */
function State({ enabled, health }: WebhookRowFragment) {
  if (!health) return <WebhookState enabled={enabled} />
  const { state, failingSince, nextProbeAt } = health
  return (
    <Stack gap={3} align="flex-start">
      <WebhookState enabled={enabled} health={health} />
      {state === 'FAILING' && failingSince && (
        <Text size="xs" c="dimmed">
          since <Time at={failingSince} as="relative" />
        </Text>
      )}
      {state === 'ON_HOLD' && nextProbeAt && (
        <Text size="xs" c="dimmed">
          next probe <Time at={nextProbeAt} as="relative" />
        </Text>
      )}
    </Stack>
  )
}

function P95({ ms }: { ms: number | undefined }) {
  return <span style={{ whiteSpace: 'nowrap' }}>{ms === undefined ? '–' : formatDuration(ms)}</span>
}

const MAX_SHOWN = 2

function Subscriptions({ names }: { names: readonly string[] }) {
  const rest = names.length - MAX_SHOWN
  return (
    <Stack gap={0} maw={220} miw={0}>
      {names.slice(0, MAX_SHOWN).map((name) => (
        <Text key={name} size="xs" className="ph-mono" truncate title={name}>
          {name}
        </Text>
      ))}
      {rest > 0 && (
        <Text size="xs" c="dimmed">
          and {formatCount(rest)} more
        </Text>
      )}
    </Stack>
  )
}

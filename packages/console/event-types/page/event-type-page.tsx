import { Anchor, Text } from '@mantine/core'
import { IconArchive, IconArchiveOff, IconPencil, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { JsonView } from '../../components/json/json-view.tsx'
import { Facts } from '../../components/page/facts.tsx'
import { Page } from '../../components/page/page.tsx'
import { PageActions } from '../../components/page/page-actions.tsx'
import { Section } from '../../components/page/section.tsx'
import { DetailSkeleton } from '../../components/page/skeletons.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { Time } from '../../components/time.tsx'
import { PublishSnippets } from '../../events/publish-snippets.tsx'
import { t } from '../../language/t.ts'
import { formatDuration } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'
import NotFoundPage from '../../shell/not-found-page.tsx'
import { useEventType } from '../event-type-queries.ts'
import { ArchiveEventType } from './archive-event-type.tsx'
import { SchemaView } from './schema-view.tsx'

const BREADCRUMBS = [[t('Event types'), '/event-types']] as const

export default function EventTypePage() {
  const { name = '' } = useParams()
  const { can, webhookId } = useSession()
  const { eventType, webhookCount, error, missing, reload } = useEventType(name)
  const [confirming, setConfirming] = useState(false)
  if (missing) return <NotFoundPage noun="event type" />
  if (!eventType) {
    return (
      <Page title={name} breadcrumbs={BREADCRUMBS}>
        {error ? <QueryError error={error} reload={reload} /> : <DetailSkeleton />}
      </Page>
    )
  }
  const archived = eventType.archivedAt !== null
  // The form is on the page of events, which a session of one webhook cannot open.
  const mayPublish = webhookId === null && !archived && can('events:publish') && can('events:read')
  return (
    <Page
      title={name}
      breadcrumbs={BREADCRUMBS}
      aside={archived && <StateBadge label={t('Archived')} color="gray" />}
      description={eventType.description}
      actions={
        (mayPublish || can('admin')) && (
          <PageActions
            actions={[
              mayPublish && {
                label: 'Publish',
                icon: IconSend,
                to: `/events?${new URLSearchParams({ publish: name })}`,
              },
              can('admin') && {
                label: t('Edit'),
                icon: IconPencil,
                to: `/event-types/${name}/edit`,
              },
              can('admin') && {
                label: archived ? 'Unarchive' : 'Archive',
                icon: archived ? IconArchiveOff : IconArchive,
                onClick: () => setConfirming(true),
              },
            ]}
          />
        )
      }
    >
      <Section title={t('Event type')}>
        <Facts
          facts={[
            webhookCount !== null && {
              label: t('Subscriptions'),
              value: <Subscribers name={name} count={webhookCount} />,
            },
            eventType.searchKeys.length > 0 && {
              label: t('Search keys'),
              value: <span className="ph-mono">{eventType.searchKeys.join(', ')}</span>,
            },
            {
              label: 'Kept for',
              value: formatDuration(86_400_000 * eventType.effectiveRetentionDays),
            },
            { label: t('Created'), value: <Time at={eventType.createdAt} /> },
            { label: t('Updated'), value: <Time at={eventType.updatedAt} /> },
            eventType.archivedAt
              ? { label: t('Archived'), value: <Time at={eventType.archivedAt} /> }
              : null,
          ]}
        />
      </Section>
      <SchemaView schema={eventType.schema} />
      <Section title={t('Example')} description="Sample data. Test events send this example.">
        {eventType.example === null || eventType.example === undefined ? (
          <Text size="sm" c="dimmed">
            No example. Add one to send test events of this type.
          </Text>
        ) : (
          <JsonView text={JSON.stringify(eventType.example)} label="Example" />
        )}
      </Section>
      {can('events:publish') && !archived && (
        <Section
          title="Publish"
          description="Code that publishes an event of this type for your organization."
        >
          <PublishSnippets type={name} example={eventType.example} />
        </Section>
      )}
      <ArchiveEventType
        id={eventType.id}
        name={name}
        archived={archived}
        webhookCount={webhookCount}
        opened={confirming}
        onClose={() => setConfirming(false)}
      />
    </Page>
  )
}

function Subscribers({ name, count }: { name: string; count: number }) {
  if (count === 0) return t('No webhooks')
  return (
    <Anchor component={Link} to={`/webhooks?subscribesTo=${name}`} size="sm">
      {t('{count, plural, one {# webhook} other {# webhooks}}', { count })}
    </Anchor>
  )
}

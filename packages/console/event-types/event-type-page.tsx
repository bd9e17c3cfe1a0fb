import { Anchor, Text } from '@mantine/core'
import { IconPencil, IconSend } from '@tabler/icons-react'
import { Link, useParams } from 'react-router'
import { JsonView } from '../components/json/json-view.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Page } from '../components/page/page.tsx'
import { PageActions } from '../components/page/page-actions.tsx'
import { Section } from '../components/page/section.tsx'
import { DetailSkeleton } from '../components/page/skeletons.tsx'
import { QueryError } from '../components/query-error.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { t } from '../language/t.ts'
import { counted, formatCount, plural } from '../lib/format.ts'
import { useSession } from '../session/session.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { useEventType } from './use-event-type.ts'

const BREADCRUMBS = [[t('Event types'), '/event-types']] as const

export default function EventTypePage() {
  const { name = '' } = useParams()
  const { can, webhookId } = useSession()
  const { eventType, webhookCount, error, missing, reload } = useEventType(name)
  if (missing) return <NotFoundPage noun="event type" />
  if (!eventType) {
    return (
      <Page title={name} breadcrumbs={BREADCRUMBS}>
        {error ? <QueryError error={error} reload={reload} /> : <DetailSkeleton />}
      </Page>
    )
  }
  const { archivedAt, example, schema, searchKeys } = eventType
  // The form is on the page of events, which a session of one webhook cannot open.
  const mayPublish = webhookId === null && can('events:publish') && can('events:read')
  return (
    <Page
      title={name}
      breadcrumbs={BREADCRUMBS}
      aside={archivedAt && <StateBadge label={t('Archived')} color="gray" />}
      description={eventType.description}
      actions={
        <PageActions
          actions={[
            mayPublish &&
              !archivedAt && { label: 'Publish', icon: IconSend, to: `/events?publish=${name}` },
            can('admin') && {
              label: t('Edit'),
              icon: IconPencil,
              to: `/event-types/${name}/edit`,
            },
          ]}
        />
      }
    >
      <Section title={t('Event type')}>
        <Facts
          facts={[
            webhookCount !== null && {
              label: t('Subscriptions'),
              value: (
                <Anchor component={Link} to={`/webhooks?subscribesTo=${name}`} inherit>
                  {plural(
                    webhookCount,
                    t('1 webhook'),
                    t('{count} webhooks', { count: formatCount(webhookCount) }),
                  )}
                </Anchor>
              ),
            },
            searchKeys.length > 0 && {
              label: t('Search keys'),
              value: <span className="ph-mono">{searchKeys.join(', ')}</span>,
            },
            {
              label: 'Kept for',
              value: counted(eventType.effectiveRetentionDays, 'day', 'days'),
            },
            { label: t('Created'), value: <Time at={eventType.createdAt} /> },
            { label: t('Updated'), value: <Time at={eventType.updatedAt} /> },
            archivedAt ? { label: t('Archived'), value: <Time at={archivedAt} /> } : null,
          ]}
        />
      </Section>
      <Section title={t('Example')} description="Sample data. Test events send this example.">
        {example == null ? (
          <Text size="sm" c="dimmed">
            No example. Add one to send test events of this type.
          </Text>
        ) : (
          <JsonView text={JSON.stringify(example)} label="Example data" />
        )}
      </Section>
      <Section title="Schema">
        {schema == null ? (
          <Text size="sm" c="dimmed">
            No schema: the data of an event of this type can be any JSON.
          </Text>
        ) : (
          <JsonView text={JSON.stringify(schema)} label="Schema text" />
        )}
      </Section>
    </Page>
  )
}

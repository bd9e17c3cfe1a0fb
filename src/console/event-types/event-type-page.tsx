import { Anchor, Text } from '@mantine/core'
import { IconArchive, IconArchiveOff, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { JsonBlock } from '../components/json/json-block.tsx'
import { DetailSkeleton } from '../components/page/detail-skeleton.tsx'
import { Facts } from '../components/page/facts.tsx'
import { Page } from '../components/page/page.tsx'
import { PageActions } from '../components/page/page-actions.tsx'
import { Section } from '../components/page/section.tsx'
import { QueryError } from '../components/query-error.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Time } from '../components/time.tsx'
import { PublishSnippets } from '../onboarding/publish-snippets.tsx'
import { useSession } from '../session/session.tsx'
import NotFoundPage from '../shell/not-found-page.tsx'
import { t } from '../strings/t.ts'
import { ArchiveEventType } from './archive-event-type.tsx'
import { SchemaView } from './schema-view.tsx'
import { useEventType } from './use-event-type.ts'

const BREADCRUMBS = [[t('eventTypes:title'), '/event-types']] as const

export default function EventTypePage() {
  const { name = '' } = useParams()
  const { can } = useSession()
  const { eventType, webhookCount, error, missing, reload } = useEventType(name)
  const [confirming, setConfirming] = useState(false)
  if (missing) return <NotFoundPage noun={t('eventTypes:eventTypePage.noun')} />
  if (!eventType) {
    return (
      <Page title={name} breadcrumbs={BREADCRUMBS}>
        {error ? <QueryError error={error} retry={reload} /> : <DetailSkeleton />}
      </Page>
    )
  }
  const archived = eventType.archivedAt !== null
  return (
    <Page
      title={name}
      breadcrumbs={BREADCRUMBS}
      aside={archived && <StateBadge label={t('eventTypes:eventTypePage.archived')} color="gray" />}
      description={eventType.description}
      actions={
        can('admin') && (
          <PageActions
            actions={[
              {
                label: t('eventTypes:eventTypePage.edit'),
                icon: IconPencil,
                to: `/event-types/${name}/edit`,
              },
              {
                label: archived
                  ? t('eventTypes:archiveEventType.unarchive')
                  : t('eventTypes:archiveEventType.archive'),
                icon: archived ? IconArchiveOff : IconArchive,
                onClick: () => setConfirming(true),
              },
            ]}
          />
        )
      }
    >
      <Section title={t('eventTypes:eventTypePage.factsTitle')}>
        <Facts
          facts={[
            webhookCount !== null && {
              label: t('eventTypes:eventTypePage.subscriptions'),
              value: <Subscribers name={name} count={webhookCount} />,
            },
            eventType.searchKeys.length > 0 && {
              label: t('eventTypes:eventTypePage.searchKeys'),
              value: <span className="ph-mono">{eventType.searchKeys.join(', ')}</span>,
            },
            {
              label: t('eventTypes:eventTypePage.created'),
              value: <Time at={eventType.createdAt} />,
            },
            {
              label: t('eventTypes:eventTypePage.updated'),
              value: <Time at={eventType.updatedAt} />,
            },
            eventType.archivedAt
              ? {
                  label: t('eventTypes:eventTypePage.archived'),
                  value: <Time at={eventType.archivedAt} />,
                }
              : null,
          ]}
        />
      </Section>
      <SchemaView schema={eventType.schema} />
      <Section
        title={t('eventTypes:eventTypePage.example')}
        description={t('eventTypes:eventTypePage.exampleHint')}
      >
        {eventType.example === null || eventType.example === undefined ? (
          <Text size="sm" c="dimmed">
            {t('eventTypes:eventTypePage.noExample')}
          </Text>
        ) : (
          <JsonBlock value={eventType.example} label={t('eventTypes:eventTypePage.exampleLabel')} />
        )}
      </Section>
      {can('events:publish') && !archived && (
        <Section
          title={t('onboarding:snippets.title')}
          description={t('onboarding:snippets.description')}
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
  if (count === 0) return t('eventTypes:eventTypePage.noWebhooks')
  return (
    <Anchor component={Link} to={`/webhooks?subscribesTo=${name}`} size="sm">
      {t('eventTypes:eventTypePage.webhooks', { count })}
    </Anchor>
  )
}

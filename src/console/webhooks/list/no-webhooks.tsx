import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { NoMatches } from '../../components/lists/no-matches.tsx'
import { EmptyState } from '../../components/page/empty-state.tsx'
import { useSession } from '../../session/session.tsx'
import { t } from '../../strings/t.ts'

interface NoWebhooksProps {
  readonly filtered: boolean
  clear(): void
}

/** Replaces an empty list of webhooks. */
export function NoWebhooks({ filtered, clear }: NoWebhooksProps) {
  const { can } = useSession()
  if (filtered) return <NoMatches noun={t('webhooks:noun')} clear={clear} />
  if (!can('webhooks:write')) {
    return <EmptyState title={t('webhooks:empty.title')}>{t('webhooks:empty.noScope')}</EmptyState>
  }
  return (
    <EmptyState
      title={t('webhooks:empty.title')}
      action={
        <Button component={Link} to="/webhooks/new">
          {t('webhooks:create')}
        </Button>
      }
    >
      {t('webhooks:empty.body')}
    </EmptyState>
  )
}

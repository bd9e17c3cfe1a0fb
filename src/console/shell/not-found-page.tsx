import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'
import { t } from '../strings/t.ts'

/** For unknown URLs, and for ids of objects that do not exist or no longer exist. */
export default function NotFoundPage({ noun = t('shell:notFound.page') }: { noun?: string }) {
  return (
    <Page title={t('shell:notFound.title')}>
      <EmptyState
        title={t('shell:notFound.heading', { noun })}
        action={
          <Button component={Link} to="/" variant="default">
            {t('shell:notFound.action')}
          </Button>
        }
      >
        {t('shell:notFound.reason', { noun })}
      </EmptyState>
    </Page>
  )
}

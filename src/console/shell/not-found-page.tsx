import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'

/** For unknown URLs, and for ids of objects that do not exist or no longer exist. */
export default function NotFoundPage({ noun = 'page' }: { noun?: string }) {
  return (
    <Page title="Not found">
      <EmptyState
        title={`There is no such ${noun}`}
        action={
          <Button component={Link} to="/" variant="default">
            To the overview
          </Button>
        }
      >
        It may have been removed, be past its retention, or belong to another organization.
      </EmptyState>
    </Page>
  )
}

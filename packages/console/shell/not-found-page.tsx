import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'

/** For unknown URLs, and for ids of objects that do not exist or no longer exist. */
export default function NotFoundPage({ noun = 'page' }: { noun?: string }) {
  return (
    <Page title="Not found">
      <EmptyState
        title={`This ${noun} does not exist`}
        action={
          <Button component={Link} to="/" variant="default">
            Go to overview
          </Button>
        }
      >
        {`The ${noun} was deleted, is past its retention period, or belongs to another organization.`}
      </EmptyState>
    </Page>
  )
}

import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { Empty } from '../components/page/empty.tsx'
import { Page } from '../components/page/page.tsx'

/** For addresses that lead nowhere, and for ids of what is not there (any more). */
export default function NotFoundPage({ what = 'page' }: { what?: string }) {
  return (
    <Page title="Not found">
      <Empty
        title={`There is no such ${what}`}
        action={
          <Button component={Link} to="/" variant="default">
            To the overview
          </Button>
        }
      >
        It may have been removed, be past its retention, or belong to another organization.
      </Empty>
    </Page>
  )
}

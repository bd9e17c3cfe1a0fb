import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { EmptyState } from '../components/page/empty-state.tsx'
import { Page } from '../components/page/page.tsx'

/** For unknown URLs, and for ids of objects that do not exist or no longer exist. */
export default function NotFoundPage({ noun = 'page' }: { noun?: string }) {
  const [title, sentence] = TEXTS[noun] ?? [
    `This ${noun} does not exist`,
    `The ${noun} was deleted, is past its retention period, or belongs to another organization.`,
  ]
  return (
    <Page title="Not found">
      <EmptyState
        title={title}
        action={
          <Button component={Link} to="/" variant="default">
            Go to overview
          </Button>
        }
      >
        {sentence}
      </EmptyState>
    </Page>
  )
}

/** Of the nouns that the portal has. */
const TEXTS: Readonly<Record<string, readonly [title: string, sentence: string]>> = {
  page: [
    'This page does not exist',
    'The page was deleted, is past its retention period, or belongs to another organization.',
  ],
  endpoint: [
    'This endpoint does not exist',
    'The endpoint was deleted, is past its retention period, or belongs to another organization.',
  ],
  delivery: [
    'This delivery does not exist',
    'The delivery was deleted, is past its retention period, or belongs to another organization.',
  ],
  event: [
    'This event does not exist',
    'The event was deleted, is past its retention period, or belongs to another organization.',
  ],
  'event type': [
    'This event type does not exist',
    'The event type was deleted, is past its retention period, or belongs to another organization.',
  ],
}

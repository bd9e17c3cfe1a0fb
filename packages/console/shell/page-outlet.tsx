import { Alert, Button, Stack } from '@mantine/core'
import { useDidUpdate } from '@mantine/hooks'
import { Fragment, Suspense, use, useInsertionEffect } from 'react'
import {
  type Location,
  Outlet,
  ScrollRestoration,
  UNSAFE_DataRouterStateContext,
  useLocation,
  useNavigation,
  useRouteError,
} from 'react-router'
import { useUnreachableSince } from '../api/connection.ts'
import { useRead } from '../api/use-read.ts'
import { NotLoaded } from '../components/query-error.tsx'
import { ViewerDocument } from '../generated/graphql.ts'

/** The page at the address. */
export function PageOutlet() {
  const { pathname } = useLocation()
  return (
    <>
      {useNavigation().state === 'loading' && <PageProgress />}
      <Suspense fallback={<PageProgress />}>
        <Fragment key={pathname}>
          <Outlet />
        </Fragment>
      </Suspense>
      <KeptPlace />
    </>
  )
}

/** Returns to the reader's place at once. The page gets its data, and so its height, only later. */
function KeptPlace() {
  const top = use(UNSAFE_DataRouterStateContext)?.restoreScrollPosition
  // Before the effect that scrolls there.
  useInsertionEffect(() => {
    const { style } = document.body
    style.minHeight = top ? `${top + innerHeight}px` : ''
    // The place stays while the page grows above it.
    style.overflowAnchor = top ? 'none' : ''
  }, [top])
  return <ScrollRestoration getKey={placeOf} />
}

export function PageProgress() {
  return <div className="ph-progress" role="progressbar" aria-label="Loading the page" />
}

const known = new Set<string>()
let previous = { pathname: '', place: '' }

/** The reader's place in an entry of the history. A filter or tab, which is a new entry, takes the place before. */
function placeOf({ pathname, key }: Location): string {
  const place = `${pathname} ${key}`
  const found = pathname === previous.pathname && !known.has(place) ? previous.place : place
  known.add(place)
  previous = { pathname, place }
  return found
}

/**
 * In place of a broken page, or of a script that cannot be loaded, such as after an upgrade of the server: the other
 * pages still work. While the server is unreachable, it is asked every 5 seconds, and the page is then loaded again.
 */
export function BrokenPage() {
  const error = useRouteError()
  const isUnreachable = useUnreachableSince() !== null
  useRead(ViewerDocument, {}, { requestPolicy: 'network-only' })
  useDidUpdate(() => {
    if (!isUnreachable) location.reload()
  }, [isUnreachable])
  if (isUnreachable) return <NotLoaded />
  return (
    <Alert color="red" role="alert" title="This page failed">
      <Stack align="start">
        {error instanceof Error ? error.message : String(error)}
        <Button size="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      </Stack>
    </Alert>
  )
}

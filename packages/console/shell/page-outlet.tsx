import { Alert, Button, Stack } from '@mantine/core'
import { useDidUpdate, useElementSize } from '@mantine/hooks'
import { Fragment, Suspense, useState } from 'react'
import {
  type Location,
  Outlet,
  ScrollRestoration,
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
  const { ref, height } = useElementSize()
  const [wasHigh, setWasHigh] = useState(false)
  // After a reload, the page is as high as before only once its data are there.
  if (!wasHigh && height > innerHeight) setWasHigh(true)
  return (
    <div ref={ref}>
      {useNavigation().state === 'loading' && <PageProgress />}
      <Suspense fallback={<PageProgress />}>
        <Fragment key={pathname}>
          <Outlet />
        </Fragment>
      </Suspense>
      {wasHigh && <ScrollRestoration getKey={placeOf} />}
    </div>
  )
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

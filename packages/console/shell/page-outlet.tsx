import { Alert, Button, Stack } from '@mantine/core'
import { useDidUpdate } from '@mantine/hooks'
import { Fragment, Suspense } from 'react'
import { Outlet, useLocation, useNavigation, useRouteError } from 'react-router'
import { useUnreachableSince } from '../api/connection.ts'
import { useRead } from '../api/use-read.ts'
import { NotLoaded } from '../components/query-error.tsx'
import { ViewerDocument } from '../generated/graphql.ts'
import { useScroll } from './use-scroll.ts'

/** The page at the address. */
export function PageOutlet() {
  const { pathname } = useLocation()
  useScroll()
  return (
    <>
      {useNavigation().state === 'loading' && <PageProgress />}
      <Suspense fallback={<PageProgress />}>
        <Fragment key={pathname}>
          <Outlet />
        </Fragment>
      </Suspense>
    </>
  )
}

export function PageProgress() {
  return <div className="ph-progress" role="progressbar" aria-label="Loading the page" />
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

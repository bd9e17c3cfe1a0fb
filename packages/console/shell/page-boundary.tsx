import { Alert, Button, Stack } from '@mantine/core'
import { Component, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Outlet, useLocation } from 'react-router'
import { noteReachability } from '../api/reachability.ts'
import { NotLoaded } from '../components/query-error.tsx'

/** The page at the address. */
export function PageOutlet() {
  const { pathname } = useLocation()
  return (
    <PageBoundary key={pathname}>
      <Suspense
        fallback={<div className="ph-progress" role="progressbar" aria-label="Loading the page" />}
      >
        <Outlet />
      </Suspense>
    </PageBoundary>
  )
}

interface PageBoundaryProps {
  readonly children: ReactNode
}

/**
 * Contains the error of a broken page, or of a script that cannot be loaded (such as after an upgrade of the server),
 * so that the other pages still work.
 */
class PageBoundary extends Component<PageBoundaryProps, { error: Error | null }> {
  override state = { error: null as Error | null }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    return error ? <Broken error={error} /> : this.props.children
  }
}

function Broken({ error }: { error: Error }) {
  const isUnreachable = useReloadOnceReachable(/\bmodule\b/.test(error.message))
  if (isUnreachable) return <NotLoaded />
  return (
    <Alert color="red" variant="light" role="alert" title="This page failed">
      <Stack align="start">
        {error.message}
        <Button size="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      </Stack>
    </Alert>
  )
}

const POLL_EVERY_MS = 2_000

/**
 * Whether a script failed to load because the server is unreachable; reloads the page once the server answers again.
 * If the server answers at once, the reader decides: the script may be missing for good.
 */
function useReloadOnceReachable(loadFailed: boolean): boolean {
  const [unreachable, setUnreachable] = useState(false)
  useEffect(() => {
    if (!loadFailed) return
    let wasUnreachable = false
    async function poll() {
      const answers = await fetch('/healthz').then(
        ({ ok }) => ok,
        () => false,
      )
      if (answers && wasUnreachable) location.reload()
      wasUnreachable ||= !answers
      noteReachability(wasUnreachable)
      setUnreachable(wasUnreachable)
    }
    void poll()
    const timer = setInterval(poll, POLL_EVERY_MS)
    return () => clearInterval(timer)
  }, [loadFailed])
  return unreachable
}

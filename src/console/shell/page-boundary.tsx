import { Alert, Button, Stack } from '@mantine/core'
import { Component, type ReactNode, useEffect, useState } from 'react'

interface PageBoundaryProps {
  readonly children: ReactNode
}

/** When a page breaks, or its program cannot be fetched (as after an upgrade of the server), the others still work. */
export class PageBoundary extends Component<PageBoundaryProps, { error: Error | null }> {
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
  const isAway = useReloadOnceBack(/\bmodule\b/.test(error.message))
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={isAway ? 'Not reachable' : 'This page broke'}
    >
      <Stack align="start">
        {isAway
          ? 'Posthorn cannot be reached at the moment. This page tries again by itself.'
          : error.message}
        <Button size="xs" onClick={() => location.reload()}>
          Load it again
        </Button>
      </Stack>
    </Alert>
  )
}

const ASK_EVERY_MS = 2_000

/**
 * Whether the program of the page could not be fetched because the server is away; once it is back, the page is loaded
 * anew. While the server answers, reloading is left to the reader: the file may be missing for good.
 */
function useReloadOnceBack(unfetched: boolean): boolean {
  const [away, setAway] = useState(false)
  useEffect(() => {
    if (!unfetched) return
    let wasAway = false
    async function ask() {
      const answers = await fetch('/healthz').then(
        ({ ok }) => ok,
        () => false,
      )
      if (answers && wasAway) location.reload()
      wasAway ||= !answers
      setAway(wasAway)
    }
    void ask()
    const timer = setInterval(ask, ASK_EVERY_MS)
    return () => clearInterval(timer)
  }, [unfetched])
  return away
}

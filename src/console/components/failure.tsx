import { Alert, Button, Group } from '@mantine/core'
import { useEffect } from 'react'
import type { CombinedError } from 'urql'
import { problemOf } from '../api/problem.ts'

const RETRY_EVERY_MS = 5_000

interface FailureProps {
  readonly error: CombinedError
  retry(): void
}

/** Why something is not shown. What is only away for a while is asked for again by itself. */
export function Failure({ error, retry }: FailureProps) {
  const { message, isAway } = problemOf(error)
  useEffect(() => {
    if (!isAway) return
    const timer = setInterval(retry, RETRY_EVERY_MS)
    return () => clearInterval(timer)
  }, [isAway, retry])
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={isAway ? 'Not reachable' : 'This cannot be shown'}
    >
      <Group justify="space-between">
        <span>
          {message}
          {isAway && ' This page tries again by itself.'}
        </span>
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      </Group>
    </Alert>
  )
}

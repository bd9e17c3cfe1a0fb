import { Alert, Button, Group } from '@mantine/core'
import { useEffect } from 'react'
import type { CombinedError } from 'urql'
import { describeError } from '../api/request-error.ts'

const RETRY_EVERY_MS = 5_000

interface QueryErrorProps {
  readonly error: CombinedError
  retry(): void
}

/** Shows why a query failed. If the server or its database is unreachable, retries every 5 seconds. */
export function QueryError({ error, retry }: QueryErrorProps) {
  const { message, isUnreachable } = describeError(error)
  useEffect(() => {
    if (!isUnreachable) return
    const timer = setInterval(retry, RETRY_EVERY_MS)
    return () => clearInterval(timer)
  }, [isUnreachable, retry])
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={isUnreachable ? 'Server unreachable' : 'Loading failed'}
    >
      <Group justify="space-between">
        <span>
          {message}
          {isUnreachable && ' Retrying automatically.'}
        </span>
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      </Group>
    </Alert>
  )
}

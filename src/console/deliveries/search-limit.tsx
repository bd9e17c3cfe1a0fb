import { Anchor, Text } from '@mantine/core'
import { Link } from 'react-router'

interface SearchLimitProps {
  /** The query parameters of the list of deliveries. */
  readonly values: Readonly<
    Record<
      | 'webhook'
      | 'status'
      | 'cause'
      | 'duration'
      | 'attempted'
      | 'attemptedSince'
      | 'attemptedUntil',
      string | null
    >
  >
}

/** Says how far a search by attempts reaches, with a link to the attempts themselves, which have no such limit. */
export function SearchLimit({ values }: SearchLimitProps) {
  const params = {
    webhook: values.webhook,
    response: values.status,
    cause: values.cause,
    duration: values.duration,
    within: values.attempted,
    since: values.attemptedSince,
    until: values.attemptedUntil,
  }
  const given = Object.entries(params).filter(([, value]) => value !== null) as [string, string][]
  return (
    <Text size="xs" c="dimmed">
      Searches the newest 2,000 attempts that match.{' '}
      <Anchor
        component={Link}
        to={`/attempts?${new URLSearchParams(given)}`}
        inherit
        underline="always"
      >
        Show the attempts
      </Anchor>
    </Text>
  )
}

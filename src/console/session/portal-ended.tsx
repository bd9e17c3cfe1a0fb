import { Alert, Text, Title } from '@mantine/core'
import { Centered } from '../components/page/centered.tsx'
import { portalLink } from './portal.ts'

/** Only the application that embeds the portal can start another session. */
export function PortalEndedPage() {
  return (
    <Centered>
      <Title order={1} size="h3">
        {portalLink?.shared ? 'This link has expired' : 'This session has ended'}
      </Title>
      <Text c="dimmed">
        {portalLink?.shared
          ? 'It was valid for a limited time, or was revoked. Ask the people who sent it for a new one.'
          : 'Return to your application, and open this page again from there.'}
      </Text>
    </Centered>
  )
}

/** Above a page that stays, with what the reader typed, until the application starts another session. */
export function PortalEndedNotice() {
  if (portalLink?.shared) {
    return (
      <Alert color="yellow" role="alert" m="md" title="This link has expired">
        Ask the people who sent it for a new one.
      </Alert>
    )
  }
  return (
    <Alert color="yellow" role="alert" m="md" title="This session has ended">
      This page keeps what you entered. To save it, return to your application and sign in there.
    </Alert>
  )
}

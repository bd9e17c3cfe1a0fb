import { Text, Title } from '@mantine/core'
import { Centered } from '../components/page/centered.tsx'

/** Only the application that embeds the portal can start another session. */
export function PortalEndedPage() {
  return (
    <Centered>
      <Title order={1} size="h3">
        This session has ended
      </Title>
      <Text c="dimmed">Return to your application, and open this page again from there.</Text>
    </Centered>
  )
}

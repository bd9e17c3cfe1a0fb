import { Alert, Text, Title } from '@mantine/core'
import { Centered } from '../components/page/centered.tsx'
import { t } from '../language/t.ts'

/** Only the application that embeds the portal can start another session. */
export function PortalEndedPage() {
  return (
    <Centered>
      <Title order={1} size="h3">
        {t('This session has ended')}
      </Title>
      <Text c="dimmed">
        {t('Return to your application, and open this page again from there.')}
      </Text>
    </Centered>
  )
}

/** Above a page that stays, with what the reader typed, until the application starts another session. */
export function PortalEndedNotice() {
  return (
    <Alert color="yellow" role="alert" m="md" title={t('This session has ended')}>
      This page keeps what you entered. To save it, return to your application and sign in there.
    </Alert>
  )
}

import { Alert, Text, Title } from '@mantine/core'
import { Centered } from '../components/page/centered.tsx'
import { t } from '../strings/t.ts'

/** Only the application that embeds the portal can start another session. */
export function PortalEndedPage() {
  return (
    <Centered>
      <Title order={1} size="h3">
        {t('portal:ended.title')}
      </Title>
      <Text c="dimmed">{t('portal:ended.hint')}</Text>
    </Centered>
  )
}

/** Above a page that stays, with what the reader typed, until the application starts another session. */
export function PortalEndedNotice() {
  return (
    <Alert color="yellow" role="alert" m="md" title={t('portal:ended.title')}>
      {t('portal:ended.kept')}
    </Alert>
  )
}

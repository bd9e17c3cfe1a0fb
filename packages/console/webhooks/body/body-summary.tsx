import { Stack, Text } from '@mantine/core'
import { useRead } from '../../api/use-read.ts'
import { Notice } from '../../components/page/notice.tsx'
import { Time } from '../../components/time.tsx'
import { WebhookBodyDocument, type WebhookSettingsFragment } from '../../generated/graphql.ts'
import { BodyText, bodyInWords } from './body-text.tsx'

/** The body of a webhook that does not send the whole event, in words and as text. */
export function BodySummary({ webhook }: { webhook: WebhookSettingsFragment }) {
  const { data } = useRead(WebhookBodyDocument, { id: webhook.id })
  const version = data?.webhook?.bodyVersion
  const problems = version?.problems ?? []
  return (
    <Stack gap="sm">
      <Text size="sm">
        {bodyInWords(webhook)}
        {version && (
          <Text span c="dimmed">
            {' '}
            (version {version.version}, since <Time at={version.createdAt} />)
          </Text>
        )}
      </Text>
      {problems.length > 0 && (
        <Notice color="yellow" title="The catalogue no longer has all that the body names">
          {problems.join(' ')} The deliveries go on as before: a value that is missing is null.
        </Notice>
      )}
      <BodyText {...webhook} />
    </Stack>
  )
}

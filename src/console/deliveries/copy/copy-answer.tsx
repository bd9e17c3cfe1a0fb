import { Stack, Text } from '@mantine/core'
import type { CopyAnswerFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { AttemptBody } from '../attempt/attempt-body.tsx'
import { HeaderTable } from '../attempt/header-table.tsx'
import { PhasesBar } from '../attempt/phases-bar.tsx'
import { ResponseStatus } from '../list/delivery-columns.tsx'
import { whyFailed } from '../why-failed.ts'

/** What a URL answered to a copy of a delivery. */
export function CopyAnswer({ answer }: { answer: CopyAnswerFragment }) {
  const { response, errorCode, error } = answer
  const status = response?.status ?? null
  const succeeded = status !== null && status >= 200 && status <= 299
  const why = whyFailed({ succeeded, status, errorCode, error })
  return (
    <Stack gap="sm" role="status" aria-label={t('Response')}>
      <Text size="sm" component="div">
        <ResponseStatus succeeded={succeeded} status={status} />{' '}
        {why?.sentence ?? t('The URL accepted the copy.')}
      </Text>
      {why && (
        <Text size="sm" c="dimmed">
          {why.hint}
        </Text>
      )}
      <PhasesBar attempt={answer} />
      {response && (
        <>
          <HeaderTable label={t('Response headers')} headers={response.headers} />
          <AttemptBody
            label={t('Response body')}
            body={response.body}
            encoding={response.bodyEncoding}
            truncated={response.bodyTruncated}
          />
        </>
      )}
    </Stack>
  )
}

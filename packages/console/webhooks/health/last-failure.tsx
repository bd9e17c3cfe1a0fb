import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { Time } from '../../components/time.tsx'
import type { WebhookTroubleFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatDuration } from '../../lib/format.ts'

type Failure = NonNullable<WebhookTroubleFragment['lastFailure']>

/** The last error of a webhook in plain words, with its attempt: "502 Bad Gateway, 41 ms, 2 min. ago". */
export function LastFailure({ attempt }: { attempt: Failure | null | undefined }) {
  if (!attempt) return null
  const { id, durationMs, startedAt, delivery } = attempt
  return (
    <div>
      <strong>{t('Last error:')}</strong> {causeOf(attempt)}, {formatDuration(durationMs)},{' '}
      <Time at={startedAt} as="relative" />.{' '}
      {delivery && (
        <Anchor
          component={Link}
          to={`/deliveries/${delivery.id}?attempt=${id}`}
          inherit
          underline="always"
        >
          {t('Show attempt')}
        </Anchor>
      )}
    </div>
  )
}

type Cause = Pick<Failure, 'status' | 'meaning'>

/** "502 · A proxy in front of the receiver got no valid response." */
export function causeOf(attempt: Cause): string {
  const sentence = (attempt.meaning ?? '').replace(/\.$/, '')
  return attempt.status == null ? sentence : `${attempt.status} · ${sentence}`
}

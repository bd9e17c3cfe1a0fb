import { Stack } from '@mantine/core'
import { Trans } from 'react-i18next'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../format.ts'
import type { WebhookTroubleFragment } from '../../generated/graphql.ts'
import { t } from '../../strings/t.ts'
import { LastFailure } from './last-failure.tsx'

/** The server stops counting here. */
const MAX_COUNTED = 10_000

/** Why a webhook is on hold, failing or disabled, how many deliveries wait, and what happens next. */
export function TroubleText({ webhook }: { webhook: WebhookTroubleFragment }) {
  const { health, backlog, lastFailure } = webhook
  if (!health) return null
  const isOnHold = health.state === 'ON_HOLD'
  const count = backlog?.count ?? 0
  const since = isOnHold ? health.onHoldSince : health.failingSince
  return (
    <Stack gap={2}>
      {health.state !== 'DISABLED' && <LastFailure attempt={lastFailure} />}
      <div>
        {since && (
          <>
            <Trans
              ns="webhooks"
              i18nKey={isOnHold ? 'trouble.onHoldSince' : 'trouble.failingSince'}
              components={{ time: <Time at={since} as="elapsed" /> }}
            />{' '}
            {t('webhooks:trouble.failuresInARow', {
              count: health.consecutiveFailures,
              formatted: formatCount(health.consecutiveFailures),
            })}{' '}
            {health.lastSuccessAt ? (
              <Trans
                ns="webhooks"
                i18nKey="trouble.lastSuccess"
                components={{ time: <Time at={health.lastSuccessAt} as="relative" /> }}
              />
            ) : (
              t('webhooks:trouble.noSuccess')
            )}{' '}
          </>
        )}
        {(count > 0 || !since) && <Waiting backlog={backlog} />}
        {isOnHold && health.nextProbeAt && (
          <>
            {' '}
            <Trans
              ns="webhooks"
              i18nKey="trouble.nextProbe"
              components={{ time: <Time at={health.nextProbeAt} as="upcoming" /> }}
            />
          </>
        )}
      </div>
    </Stack>
  )
}

function Waiting({ backlog }: Pick<WebhookTroubleFragment, 'backlog'>) {
  const count = backlog?.count ?? 0
  if (count === 0) return t('webhooks:trouble.noneWaiting')
  return (
    <>
      {count < MAX_COUNTED
        ? t('webhooks:trouble.waiting', { count, formatted: formatCount(count) })
        : t('webhooks:trouble.waitingMany')}
      {backlog?.oldest && (
        <Trans
          ns="webhooks"
          i18nKey="trouble.oldest"
          components={{ time: <Time at={backlog.oldest.createdAt} as="elapsed" /> }}
        />
      )}
      .
    </>
  )
}

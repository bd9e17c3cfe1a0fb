import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconBulb } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useRead } from '../../api/use-read.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { QueryError } from '../../components/query-error.tsx'
import {
  type AttemptStepFragment,
  DeliveryAttemptDocument,
  type DeliveryAttemptQuery,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { maskUrl } from '../../lib/mask-url.ts'
import { useSession } from '../../session/session.tsx'
import { AttemptBody } from './attempt-body.tsx'
import { attemptReport } from './attempt-report.ts'
import { CopyAsCurl } from './copy-as-curl.tsx'
import { HeaderTable } from './header-table.tsx'
import { PhasesBar } from './phases-bar.tsx'

type AttemptWithExchange = Extract<DeliveryAttemptQuery['node'], { recordedAt: string }>

interface AttemptDetailProps {
  readonly id: string
  readonly attempt: AttemptStepFragment
  /** What to check, for a failed attempt. */
  readonly hint: string | null
}

/** The time, the request and the response of an attempt. */
export function AttemptDetail({ id, attempt, hint }: AttemptDetailProps) {
  return (
    <Stack gap="md" px={10} pt="xs" pb="md">
      {hint && (
        <Group gap="xs" wrap="nowrap" align="start" c="var(--posthorn-on-yellow)">
          <IconBulb size={18} style={{ flex: 'none', marginTop: 1 }} aria-hidden />
          <Text size="sm">{hint}</Text>
        </Group>
      )}
      <Stack gap={4}>
        <PhasesBar attempt={attempt} />
        <Remarks attempt={attempt} />
      </Stack>
      <Exchange id={id} />
    </Stack>
  )
}

function Remarks({ attempt: { resent } }: { attempt: AttemptStepFragment }) {
  if (!resent) return null
  return (
    <Text size="xs" c="dimmed">
      Sent twice, because the reused connection was already closed.
    </Text>
  )
}

/** Attempts are immutable, so the cache is always current. */
function Exchange({ id }: { id: string }) {
  const { can } = useSession()
  const withBody = can('events:read')
  const { data, error, reload } = useRead(
    DeliveryAttemptDocument,
    { id, withBody },
    { requestPolicy: 'cache-first' },
  )
  if (error && !data) return <QueryError error={error} reload={reload} />
  const attempt = data?.node && isAttempt(data.node) ? data.node : null
  if (!attempt) {
    return data ? (
      <Text size="sm">This attempt is past its retention period.</Text>
    ) : (
      <Skeleton h={280} />
    )
  }
  const { request, response } = attempt
  return (
    <>
      <SimpleGrid type="container" cols={{ base: 1, '640px': 2 }} spacing="lg">
        <Half
          title={t('Response')}
          line={
            response ? t('HTTP status {status}', { status: response.status }) : t('No response')
          }
        >
          {response && (
            <>
              <HeaderTable label={t('Response headers')} headers={response.headers} />
              <AttemptBody
                label={t('Response body')}
                body={response.body}
                encoding={response.bodyEncoding}
                truncated={response.bodyTruncated}
                unkeptBytes={response.unkeptBodyBytes}
              />
            </>
          )}
          {!response && <Text size="sm">{attempt.error}</Text>}
        </Half>
        <Half title={t('Request')} line={`${request.method} ${maskUrl(request.url)}`}>
          <HeaderTable label={t('Request headers')} headers={request.headers} />
        </Half>
      </SimpleGrid>
      <Group gap="sm">
        <CopyAsCurl request={request} />
        <CopyButton value={attemptReport(attempt)} label="Copy report" labelled />
      </Group>
    </>
  )
}

function isAttempt(node: object): node is AttemptWithExchange {
  return 'request' in node
}

function Half({ title, line, children }: { title: string; line: string; children: ReactNode }) {
  return (
    <Stack gap="sm" miw={0}>
      <div>
        <Text component="h3" size="sm" fw={650} m={0}>
          {title}
        </Text>
        <Text size="xs" className="ph-mono" c="dimmed">
          {line}
        </Text>
      </div>
      {children}
    </Stack>
  )
}

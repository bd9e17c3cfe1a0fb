import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconBulb } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useRead } from '../api/use-read.ts'
import { QueryError } from '../components/query-error.tsx'
import { DeliveryAttemptDocument } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { AttemptBody } from './attempt-body.tsx'
import { CopyAsCurl } from './copy-as-curl.tsx'
import { HeaderTable } from './header-table.tsx'

interface AttemptDetailProps {
  readonly id: string
  /** What to check, for a failed attempt. */
  readonly hint: string | null
}

/** The request and the response of an attempt. Attempts are immutable, so the cache is always current. */
export function AttemptDetail({ id, hint }: AttemptDetailProps) {
  const withBody = useSession().can('events:read')
  const { data, error, reload } = useRead(
    DeliveryAttemptDocument,
    { id, withBody },
    { requestPolicy: 'cache-first' },
  )
  if (error && !data) return <QueryError error={error} retry={reload} />
  const attempt = data?.node && 'request' in data.node ? data.node : null
  if (!attempt) {
    return data ? (
      <Text size="sm">This attempt is past its retention period.</Text>
    ) : (
      <Skeleton h={280} />
    )
  }
  const { request, response } = attempt
  return (
    <Stack gap="md" px={10} pt="xs" pb="md">
      {hint && (
        <Group gap="xs" wrap="nowrap" align="start" c="var(--posthorn-on-yellow)">
          <IconBulb size={18} style={{ flex: 'none', marginTop: 1 }} aria-hidden />
          <Text size="sm">{hint}</Text>
        </Group>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Half title="Request" line={`${request.method} ${request.url}`}>
          <HeaderTable label="Request headers" headers={request.headers} />
          {withBody && (
            <AttemptBody
              label="Request body"
              body={request.body ?? null}
              missing="past its retention period"
            />
          )}
        </Half>
        <Half title="Response" line={response ? `HTTP status ${response.status}` : 'No response'}>
          {response && (
            <>
              <HeaderTable label="Response headers" headers={response.headers} />
              <AttemptBody
                label="Response body"
                body={response.body}
                encoding={response.bodyEncoding}
                truncated={response.bodyTruncated}
              />
            </>
          )}
          {!response && <Text size="sm">{attempt.error}</Text>}
        </Half>
      </SimpleGrid>
      <CopyAsCurl request={request} />
    </Stack>
  )
}

interface HalfProps {
  readonly title: string
  readonly line: string
  readonly children: ReactNode
}

function Half({ title, line, children }: HalfProps) {
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

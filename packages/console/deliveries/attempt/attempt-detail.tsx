import { Group, SimpleGrid, Skeleton, Stack, Table, Text } from '@mantine/core'
import { IconBulb } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useRead } from '../../api/use-read.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { JsonView } from '../../components/json/json-view.tsx'
import { QueryError } from '../../components/query-error.tsx'
import {
  type AttemptStepFragment,
  DeliveryAttemptDocument,
  type DeliveryAttemptQuery,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatBytes } from '../../lib/format.ts'
import { maskUrl } from '../../lib/mask-url.ts'
import { useSession } from '../../session/session.tsx'
import { asCurl } from './as-curl.ts'
import { PhasesBar } from './phases-bar.tsx'

/** What to check, the time, the request and the response of an attempt. */
export function AttemptDetail({ attempt }: { attempt: AttemptStepFragment }) {
  return (
    <Stack gap="md">
      {attempt.advice && (
        <Group gap="xs" wrap="nowrap" align="start" c="var(--posthorn-on-yellow)">
          <IconBulb size={18} style={{ flex: 'none', marginTop: 1 }} aria-hidden />
          <Text size="sm">{attempt.advice}</Text>
        </Group>
      )}
      <PhasesBar attempt={attempt} />
      <Exchange id={attempt.id} />
    </Stack>
  )
}

function Exchange({ id }: { id: string }) {
  const withBody = useSession().can('events:read')
  // Attempts are immutable, so the cache is always current.
  const { data, error, reload } = useRead(
    DeliveryAttemptDocument,
    { id, withBody },
    { requestPolicy: 'cache-first' },
  )
  if (error && !data) return <QueryError error={error} reload={reload} />
  if (!data) return <Skeleton h={280} />
  const attempt = data.node && 'request' in data.node ? data.node : null
  if (!attempt) return <Text size="sm">This attempt is past its retention period.</Text>
  const { request, response } = attempt
  const { command, notes } = asCurl(request)
  return (
    <>
      <SimpleGrid type="container" cols={{ base: 1, '640px': 2 }} spacing="lg">
        <Half
          title={t('Response')}
          line={
            response ? t('HTTP status {status}', { status: response.status }) : t('No response')
          }
        >
          {response ? (
            <>
              <Headers label={t('Response headers')} headers={response.headers} />
              <ResponseBody response={response} />
            </>
          ) : (
            <Text size="sm">{attempt.error}</Text>
          )}
        </Half>
        <Half title={t('Request')} line={`${request.method} ${maskUrl(request.url)}`}>
          <Headers label={t('Request headers')} headers={request.headers} />
        </Half>
      </SimpleGrid>
      <Group gap="sm">
        <CopyButton value={command} label="Copy as curl" labelled />
        <Text size="xs" c="dimmed" flex="1 1 16rem">
          {notes.join(' ')}
        </Text>
      </Group>
    </>
  )
}

function Half({ title, line, children }: { title: string; line: string; children: ReactNode }) {
  return (
    <Stack gap="sm" miw={0}>
      <div>
        <Text component="h4" size="sm" fw={650} m={0}>
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

type Attempt = Extract<DeliveryAttemptQuery['node'], { request: unknown }>

function ResponseBody({ response }: { response: NonNullable<Attempt['response']> }) {
  const { body, bodyEncoding, bodyTruncated, unkeptBodyBytes } = response
  const label = t('Response body')
  if (body === '' || unkeptBodyBytes != null) {
    return (
      <Text size="xs" c="dimmed">
        {unkeptBodyBytes == null
          ? `${label}: empty`
          : `${label}: ${formatBytes(unkeptBodyBytes)}, not kept. The settings keep no response bodies.`}
      </Text>
    )
  }
  const isText = bodyEncoding === 'UTF8'
  const notes = [
    `${label}, ${formatBytes(isText ? new TextEncoder().encode(body).length : atob(body).length)}.`,
    !isText && 'Shown in base64, because this is not UTF-8 text.',
    bodyTruncated && 'Truncated: Posthorn records the first 16 KiB that arrive within 2 seconds.',
  ]
  return <JsonView label={label} text={body} note={notes.filter(Boolean).join(' ')} />
}

interface HeadersProps {
  readonly label: string
  readonly headers: readonly { readonly name: string; readonly value: string }[]
}

/** HTTP headers, in order. */
function Headers({ label, headers }: HeadersProps) {
  return (
    <Table aria-label={label} variant="vertical" layout="fixed" fz="xs" className="ph-mono">
      <Table.Tbody>
        {headers.map(({ name, value }) => (
          <Table.Tr key={name}>
            <Table.Th w="38%" fw={400} scope="row">
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

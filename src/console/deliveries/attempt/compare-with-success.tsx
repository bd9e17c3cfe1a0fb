import { Anchor, Button, Skeleton, Stack, Table, Text } from '@mantine/core'
import { IconArrowsDiff } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useRead } from '../../api/use-read.ts'
import { QueryError } from '../../components/query-error.tsx'
import {
  type ComparedAttemptFragment,
  type DeliveryAttemptQuery,
  DeliveryLastSuccessDocument,
} from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { formatDuration } from '../../lib/format.ts'
import { objectOf } from '../../lib/json-schema.ts'
import { useSession } from '../../session/session.tsx'
import { type ComparedAttempt, type Difference, differencesOf } from './differences.ts'

/** An attempt as its details read it. */
export type AttemptWithExchange = Extract<DeliveryAttemptQuery['node'], { recordedAt: string }>

interface CompareWithSuccessProps {
  readonly attempt: AttemptWithExchange
}

/** What is different now from the last attempt of the webhook that succeeded. */
export function CompareWithSuccess({ attempt }: CompareWithSuccessProps) {
  const [opened, setOpened] = useState(false)
  if (!opened) {
    return (
      <Button
        size="xs"
        variant="default"
        leftSection={<IconArrowsDiff size={16} />}
        onClick={() => setOpened(true)}
      >
        Compare with the last success
      </Button>
    )
  }
  return <Comparison attempt={attempt} />
}

function Comparison({ attempt }: CompareWithSuccessProps) {
  const withBody = useSession().can('events:read')
  const { webhookId, recordedAt } = attempt
  const { data, error, reload } = useRead(
    DeliveryLastSuccessDocument,
    { webhookId, until: recordedAt, withBody },
    { requestPolicy: 'cache-first' },
  )
  if (error && !data) return <QueryError error={error} reload={reload} />
  if (!data) return <Skeleton h={80} />
  const success = data.attempts?.nodes[0]
  if (!success) return <Text size="sm">No earlier attempt of this webhook succeeded.</Text>
  const differences = differencesOf(comparedOf(success), comparedOf(attempt), formatDuration)
  return (
    <Stack gap="xs" w="100%" component="section" aria-label="Different from the last success">
      <Text component="h3" size="sm" fw={650} m={0}>
        Different from the last success
      </Text>
      {differences.length === 0 ? (
        <Text size="sm">No recorded field differs.</Text>
      ) : (
        <DifferenceTable differences={differences} />
      )}
      {success.delivery && (
        <Anchor
          component={Link}
          to={`/deliveries/${success.delivery.id}?attempt=${success.id}`}
          size="sm"
        >
          Open that delivery
        </Anchor>
      )}
    </Stack>
  )
}

function DifferenceTable({ differences }: { differences: readonly Difference[] }) {
  return (
    <Table fz="sm" layout="fixed" verticalSpacing={6} style={{ overflowWrap: 'anywhere' }}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Field</Table.Th>
          <Table.Th>{t('Last success')}</Table.Th>
          <Table.Th>This attempt</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {differences.map(({ what, before, now }) => (
          <Table.Tr key={what}>
            <Table.Td>{what}</Table.Td>
            <Table.Td>{before}</Table.Td>
            <Table.Td fw={600}>{now}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function comparedOf(attempt: ComparedAttemptFragment): ComparedAttempt {
  const { status = null, durationMs, request, response, delivery } = attempt
  return {
    status,
    durationMs,
    url: request.url,
    eventType: delivery?.eventType.name ?? null,
    requestHeaders: request.headers,
    responseHeaders: response?.headers ?? [],
    payload: request.body ? payloadOf(request.body) : null,
  }
}

/** The data of an event or, of a body from a template, the whole. */
function payloadOf(body: string): unknown {
  const value: unknown = JSON.parse(body)
  return objectOf(value)['data'] ?? value
}

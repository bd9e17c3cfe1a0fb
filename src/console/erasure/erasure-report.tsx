import { Button, Group, Loader, Stack, Table, Text } from '@mantine/core'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { QueryError } from '../components/query-error.tsx'
import { type ErasedPlace, ErasureOneDocument, type ErasureOneQuery } from '../generated/graphql.ts'
import { key, t } from '../language/t.ts'
import { formatCount } from '../lib/format.ts'

type Erasure = NonNullable<ErasureOneQuery['erasure']>

const REFRESH_EVERY_MS = 1_000

const ERASED: Record<ErasedPlace, string> = {
  EVENTS: key('Payloads of events'),
  SEARCH_KEYS: key('Search keys'),
  RESPONSES: key('Responses of receivers'),
  CANCELED_DELIVERIES: key('Canceled deliveries'),
}

interface ErasureReportProps {
  readonly id: string
  close(): void
}

/** What an erasure erased where, while it runs and afterwards. */
export function ErasureReport({ id, close }: ErasureReportProps) {
  const { data, error, reload } = useRead(
    ErasureOneDocument,
    { id },
    { requestPolicy: 'network-only' },
  )
  const erasure = data?.erasure
  const hasEnded = erasure != null && erasure.state !== 'RUNNING'
  usePolling(hasEnded ? null : REFRESH_EVERY_MS, reload)
  return (
    <Stack>
      {error && !data && <QueryError error={error} reload={reload} />}
      {erasure && <Progress erasure={erasure} />}
      {erasure && erasure.erased.length > 0 && (
        <Counts
          label={t('Erased')}
          rows={erasure.erased.map(({ place, count }) => [t(ERASED[place]), count])}
        />
      )}
      <Group justify="end">
        <Button variant="default" onClick={close}>
          {t('Close')}
        </Button>
      </Group>
    </Stack>
  )
}

function Progress({ erasure: { state, failure, waiting } }: { erasure: Erasure }) {
  return (
    <Group gap="xs" role="status">
      {state === 'RUNNING' && <Loader size="xs" />}
      <Text size="sm">{progressText(state, failure, waiting)}</Text>
    </Group>
  )
}

function progressText(
  state: Erasure['state'],
  failure: string | null | undefined,
  waiting: number,
): string {
  if (state === 'FAILED') return failure ?? t('The erasure failed.')
  if (state === 'COMPLETED') return t('Everything is erased.')
  if (waiting === 0) return t('The erasure is running. It goes on when you close this dialog.')
  return t(
    '{count, plural, one {# event waits until its deliveries are sent.} other {# events wait until their deliveries are sent.}} The erasure goes on when you close this dialog.',
    { count: waiting },
  )
}

function Counts({ label, rows }: { label: string; rows: (readonly [string, number])[] }) {
  return (
    <Table aria-label={label}>
      <Table.Tbody>
        {rows.map(([place, count]) => (
          <Table.Tr key={place}>
            <Table.Td>{place}</Table.Td>
            <Table.Td ta="end">{formatCount(count)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

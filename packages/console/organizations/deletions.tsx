import { Group, Loader, Text } from '@mantine/core'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { Id } from '../components/copy-button.tsx'
import { Notice } from '../components/page/notice.tsx'
import { Time } from '../components/time.tsx'
import { OrganizationsDeletionsDocument } from '../generated/graphql.ts'
import { formatCount } from '../lib/format.ts'

const REFRESH_EVERY_MS = 2_000

/** A deletion that has ended is shown for this time. */
const SHOWN_MS = 86_400_000

/** The query is repeated after a deletion, which is a bulk task. */
const CONTEXT = { additionalTypenames: ['BulkTask'] }

/** The organizations that are being deleted, with the progress, and those of the last day. */
export function Deletions() {
  const { data, reload } = useRead(OrganizationsDeletionsDocument, {}, { context: CONTEXT })
  const deletions = (data?.organizationDeletions?.nodes ?? []).filter(
    ({ finishedAt }) => finishedAt === null || Date.now() - Date.parse(finishedAt) < SHOWN_MS,
  )
  const runs = deletions.some(({ finishedAt }) => finishedAt === null)
  usePolling(runs ? REFRESH_EVERY_MS : null, reload)
  if (deletions.length === 0) return null
  return (
    <Notice color={runs ? 'blue' : 'gray'} title="Deleted organizations">
      {deletions.map(({ organizationId, finishedAt, changed, requestedBy, createdAt }) => (
        <Group key={organizationId} gap="sm">
          {finishedAt === null && <Loader size="xs" aria-hidden />}
          <Id id={organizationId} />
          <Text size="sm">
            {finishedAt === null
              ? `Deleting: ${formatCount(changed)} rows so far.`
              : `Deleted, with ${formatCount(changed)} rows.`}{' '}
            By {requestedBy}, <Time at={createdAt} />.
          </Text>
        </Group>
      ))}
    </Notice>
  )
}

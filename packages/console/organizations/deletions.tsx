import { Alert, Group, Loader, Stack, Text } from '@mantine/core'
import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { Id } from '../components/copy-button.tsx'
import { Time } from '../components/time.tsx'
import {
  type OrganizationsDeletionFragment,
  OrganizationsDeletionsDocument,
} from '../generated/graphql.ts'
import { formatCount } from '../lib/format.ts'

const REFRESH_EVERY_MS = 2_000

/** A deletion that has ended is shown for this time. */
const SHOWN_MS = 86_400_000

/** The organizations that are being deleted, with the progress, and those of the last day. `since` counts up after a deletion. */
export function Deletions({ since }: { readonly since: number }) {
  return <Listed key={since} />
}

function Listed() {
  const { data, reload } = useRead(OrganizationsDeletionsDocument, {})
  const deletions = (data?.organizationDeletions?.nodes ?? []).filter(
    ({ finishedAt }) => finishedAt === null || Date.now() - Date.parse(finishedAt) < SHOWN_MS,
  )
  const runs = deletions.some(({ finishedAt }) => finishedAt === null)
  usePolling(runs ? REFRESH_EVERY_MS : null, reload)
  if (deletions.length === 0) return null
  return (
    <Alert variant="light" color={runs ? 'blue' : 'gray'} title="Deleted organizations">
      <Stack gap="xs">
        {deletions.map((deletion) => (
          <Deletion key={deletion.organizationId} {...deletion} />
        ))}
      </Stack>
    </Alert>
  )
}

function Deletion(deletion: OrganizationsDeletionFragment) {
  const { organizationId, createdAt, requestedBy, changed, step, finishedAt } = deletion
  const rows = `${formatCount(changed)} rows`
  return (
    <Group gap="sm">
      {finishedAt === null && <Loader size="xs" aria-hidden />}
      <Id id={organizationId} />
      <Text size="sm">
        {finishedAt === null
          ? `${['Deleting', ...(step?.split('_') ?? [])].join(' ')}: ${rows} so far.`
          : `Deleted, with ${rows}.`}{' '}
        By {requestedBy}, <Time at={createdAt} />.
      </Text>
    </Group>
  )
}

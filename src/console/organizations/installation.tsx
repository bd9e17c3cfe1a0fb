import { usePolling } from '../api/use-polling.ts'
import { useRead } from '../api/use-read.ts'
import { Figures } from '../components/page/figures.tsx'
import { QueryError } from '../components/query-error.tsx'
import { Time } from '../components/time.tsx'
import { OrganizationsInstallationDocument } from '../generated/graphql.ts'
import { formatCount, formatPercent } from '../lib/format.ts'

const REFRESH_EVERY_MS = 30_000
const GIB = 1_024 ** 3

/** The state of the whole installation: workers, their load, the queue and Postgres. */
export function Installation() {
  const { data, error, reload } = useRead(OrganizationsInstallationDocument, {})
  usePolling(REFRESH_EVERY_MS, reload)
  if (error && !data) return <QueryError error={error} reload={reload} />
  const state = data?.installation
  const { attemptsInFlight, concurrency, oldestReadyAt } = state ?? {}
  return (
    <Figures
      figures={[
        {
          label: 'Workers',
          value: state && formatCount(state.workers),
          note: state?.workers === 0 ? 'Nothing is delivered' : '',
        },
        {
          label: 'Capacity used',
          value:
            state && (concurrency ? formatPercent((attemptsInFlight ?? 0) / concurrency) : '–'),
          note: concurrency
            ? `${formatCount(attemptsInFlight ?? 0)} of ${formatCount(concurrency)} attempts`
            : '',
        },
        {
          label: 'Jobs that wait for a worker',
          value: state && formatCount(state.readyJobs),
          note: oldestReadyAt ? (
            <>
              Oldest: <Time at={oldestReadyAt} as="elapsed" />
            </>
          ) : (
            ''
          ),
        },
        {
          label: 'Postgres',
          value: state?.postgresVersion.split(' ')[0],
          note: state ? `${(state.databaseBytes / GIB).toFixed(2)} GiB` : '',
        },
        {
          label: 'Connections',
          value: state && formatCount(state.connections),
          note: state ? `Of ${formatCount(state.maxConnections)}` : '',
        },
      ]}
    />
  )
}

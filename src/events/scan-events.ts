import type { Sql } from '../db/client.ts'
import { createParameters } from '../db/parameters.ts'
import { rateLimited } from '../lib/errors.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'

/** After this time, a scan ends with the chunk that it reads. */
export const SCAN_SECONDS = 1
/** The last chunk begins before this time, so that the answer is there within the second. */
const LAST_CHUNK_MS = 900

/** Events that one statement reads, and about how many bytes of their data: some 50 ms of a processor. */
const CHUNK_EVENTS = 500
const CHUNK_BYTES = 1024 * 1024

export interface ScanRequest {
  /** The text to find in the data, case-sensitive. */
  readonly contains: string
  readonly type?: string | null | undefined
  /** The earliest time of publication. */
  readonly since?: Date | null | undefined
  /** Published before this time. */
  readonly until?: Date | null | undefined
  /** The number of events to find. */
  readonly first: number
  /** The uuid of the event to go on after. */
  readonly after?: string | null | undefined
}

export interface EventScan {
  /** The uuids of the events with the text, newest first. */
  readonly uuids: readonly string[]
  readonly scannedCount: number
  /** The uuid of the last event that was read. Null if none was. */
  readonly lastUuid: string | null
  /** Whether the scan read all events that the request selects. */
  readonly isComplete: boolean
}

/** The organizations whose scans run. Scans use processors of Postgres, so each organization has one at a time. */
const scanning = new Set<string>()

/**
 * Reads an organization's events, newest first, until it has found enough or its time is over. Throws `rate_limited`
 * while another scan of the organization runs in this process.
 */
export async function scanEvents(
  sql: Sql,
  organizationId: string,
  request: ScanRequest,
  now: () => number = () => performance.now(),
): Promise<EventScan> {
  if (scanning.has(organizationId)) {
    const message =
      'Another scan of this organization is running, and only one runs at a time. Scan again when it has ended.'
    throw rateLimited(message, SCAN_SECONDS)
  }
  scanning.add(organizationId)
  try {
    return await scan(sql, organizationId, request, now)
  } finally {
    scanning.delete(organizationId)
  }
}

async function scan(
  sql: Sql,
  organizationId: string,
  request: ScanRequest,
  now: () => number,
): Promise<EventScan> {
  const endsAtMs = now() + LAST_CHUNK_MS
  const uuids: string[] = []
  let lastUuid: string | null = null
  let scannedCount = 0
  do {
    const { rows, isLast } = await readChunk(
      sql,
      organizationId,
      request,
      lastUuid ?? request.after,
    )
    for (const { id, matches } of rows) {
      lastUuid = id
      scannedCount += 1
      if (matches && uuids.push(id) === request.first) {
        return { uuids, scannedCount, lastUuid, isComplete: false }
      }
    }
    if (isLast) return { uuids, scannedCount, lastUuid, isComplete: true }
  } while (now() < endsAtMs)
  return { uuids, scannedCount, lastUuid, isComplete: false }
}

interface ScannedRow {
  readonly id: string
  readonly matches: boolean
  /** The events that the statement found, also those that it did not read. */
  readonly found: number
}

/**
 * Reads the index of the organization's events, or of those of the type, in the order of the scan. The length of
 * compressed data is known without the data. A regular expression that begins with `***=` is a literal text, and Postgres
 * reads the data once; with a hostile text, `strpos` and `like` read it again for each character.
 * https://www.postgresql.org/docs/current/functions-matching.html#POSIX-METASYNTAX
 */
async function readChunk(
  sql: Sql,
  organizationId: string,
  { contains, type, since, until }: ScanRequest,
  after: string | null | undefined,
): Promise<{ readonly rows: readonly ScannedRow[]; readonly isLast: boolean }> {
  const { values, add } = createParameters()
  const conditions = [
    `organization_id = ${add(organizationId)}`,
    'erased_at is null',
    ...(typeof type === 'string' ? [`type = ${add(type)}`] : []),
    ...(after ? [`id < ${add(after)}`] : []),
    ...(since ? [`id >= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`id < ${add(lowerBoundAt(until))}`] : []),
  ]
  const { rows } = await sql.query<ScannedRow>(
    `select id, data ~ ('***=' || ${add(contains)}) as matches, found
     from (
       select id, data, octet_length(data) as bytes, sum(octet_length(data)) over (order by id desc) as total,
         count(*) over ()::int as found
       from (
         select id, data from posthorn.events where ${conditions.join(' and ')}
         order by id desc limit ${CHUNK_EVENTS}
       ) as page
     ) as sized
     where total - bytes < ${CHUNK_BYTES} order by id desc`,
    values,
  )
  const found = rows[0]?.found ?? 0
  return { rows, isLast: found < CHUNK_EVENTS && rows.length === found }
}

import type { Sql } from '../db/client.ts'
import { createParameters } from '../db/parameters.ts'
import { lowerBoundAt } from '../lib/uuid-v7.ts'

/** The most events that one scan reads. */
export const MAX_SCANNED_EVENTS = 10_000

/** A scan also ends when it has read this much data. */
export const MAX_SCANNED_BYTES = 64 * 1024 * 1024

/** Events that one statement reads. */
const CHUNK = 500

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

/** Reads an organization's events, newest first, until it has found enough or has read as much as a scan may. */
export async function scanEvents(
  sql: Sql,
  organizationId: string,
  request: ScanRequest,
): Promise<EventScan> {
  const uuids: string[] = []
  let lastUuid: string | null = null
  let scannedCount = 0
  let scannedBytes = 0
  while (scannedCount < MAX_SCANNED_EVENTS) {
    const rows = await readChunk(sql, organizationId, request, lastUuid ?? request.after)
    for (const { id, bytes, matches } of rows) {
      lastUuid = id
      scannedCount++
      scannedBytes += bytes
      const isFull = matches && uuids.push(id) === request.first
      if (isFull || scannedBytes >= MAX_SCANNED_BYTES) {
        return { uuids, scannedCount, lastUuid, isComplete: false }
      }
    }
    if (rows.length < CHUNK) return { uuids, scannedCount, lastUuid, isComplete: true }
  }
  return { uuids, scannedCount, lastUuid, isComplete: false }
}

interface ScannedRow {
  readonly id: string
  readonly bytes: number
  readonly matches: boolean
}

/** Reads the index of the organization's events, or of those of the type, in the order of the scan. */
async function readChunk(
  sql: Sql,
  organizationId: string,
  { contains, type, since, until }: ScanRequest,
  after: string | null | undefined,
): Promise<readonly ScannedRow[]> {
  const { values, add } = createParameters()
  const conditions = [
    `organization_id = ${add(organizationId)}`,
    ...(typeof type === 'string' ? [`type = ${add(type)}`] : []),
    ...(after ? [`id < ${add(after)}`] : []),
    ...(since ? [`id >= ${add(lowerBoundAt(since))}`] : []),
    ...(until ? [`id < ${add(lowerBoundAt(until))}`] : []),
  ]
  const { rows } = await sql.query<ScannedRow>(
    `select id, octet_length(data) as bytes, strpos(data, ${add(contains)}) > 0 as matches
     from posthorn.events where ${conditions.join(' and ')} order by id desc limit ${CHUNK}`,
    values,
  )
  return rows
}

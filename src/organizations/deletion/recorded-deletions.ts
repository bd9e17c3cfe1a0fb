import { z } from 'zod'
import type { Sql } from '../../db/client.ts'
import { parseId, publicId } from '../../db/ids.ts'

/** A tombstone, as a database or a file has it. */
export interface RecordedDeletion {
  readonly organizationId: string
  /** In ISO 8601, as Postgres prints it in UTC. */
  readonly requestedAt: string
  readonly requestedBy: string
}

/** All tombstones of a database, the oldest first. */
export async function readRecorded(sql: Sql): Promise<RecordedDeletion[]> {
  const { rows } = await sql.query<RecordedDeletion & { uuid: string }>(
    `select organization_id as uuid, requested_by as "requestedBy",
       to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "requestedAt"
     from posthorn.organization_deletions order by requested_at, organization_id`,
  )
  return rows.map(({ uuid, requestedAt, requestedBy }) => {
    return { organizationId: publicId('organization', uuid), requestedAt, requestedBy }
  })
}

/** A line of a file of deletions. */
export function printRecorded({
  organizationId,
  requestedAt,
  requestedBy,
}: RecordedDeletion): string {
  return JSON.stringify({
    id: organizationId,
    requested_at: requestedAt,
    requested_by: requestedBy,
  })
}

const lineRule = z.object({
  id: z.string().refine((id) => parseId('organization', id) !== null),
  requested_at: z.iso.datetime({ precision: 6 }),
  requested_by: z.string().min(1),
})

/** The deletions of a file. Throws for a line that is none. */
export function parseRecorded(text: string): RecordedDeletion[] {
  return text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [parseLine(line, i + 1)]))
}

function parseLine(line: string, number: number): RecordedDeletion {
  const { success, data } = lineRule.safeParse(readJson(line))
  if (!success) {
    throw new Error(
      `Line ${number} is no deletion. Give a file that \`posthorn organization deletions\` has written.`,
    )
  }
  const { id, requested_at: requestedAt, requested_by: requestedBy } = data
  return { organizationId: id, requestedAt, requestedBy }
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

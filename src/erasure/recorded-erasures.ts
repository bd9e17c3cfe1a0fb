import type { Sql } from '../db/client.ts'
import { parseId, publicId } from '../db/ids.ts'
import type { Unsent } from '../deliveries/erase-events.ts'
import { readSelection, type Selection } from './selection.ts'

/** An erasure as a database or a file has it: without contents, and without the value of a search key. */
export interface RecordedErasure {
  readonly uuid: string
  readonly organizationUuid: string
  readonly unsent: Unsent
  readonly selection: Selection
}

/** All erasures of a database, the oldest first. One that was repeated has the id of its first time. */
export async function readRecorded(sql: Sql): Promise<RecordedErasure[]> {
  const { rows } = await sql.query<Omit<RecordedErasure, 'selection'> & { selection: string }>(
    `select distinct on (coalesce(repeats, id)) coalesce(repeats, id) as uuid,
       organization_id as "organizationUuid", unsent, selection::text
     from posthorn.erasures order by coalesce(repeats, id), id`,
  )
  return rows.map((row) => ({ ...row, selection: readSelection(row.selection) }))
}

/** A line of a file of erasures. */
export function printRecorded({
  uuid,
  organizationUuid,
  unsent,
  selection,
}: RecordedErasure): string {
  const organization = publicId('organization', organizationUuid)
  return JSON.stringify({ id: publicId('erasure', uuid), organization, unsent, selection })
}

/** The erasures of a file. Throws for a line that is none. */
export function parseRecorded(text: string): RecordedErasure[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, i) => parseLine(line) ?? fail(i + 1))
}

function parseLine(line: string): RecordedErasure | null {
  let given: Record<string, unknown>
  try {
    given = Object(JSON.parse(line))
  } catch {
    return null
  }
  const uuid = parseId('erasure', String(given['id']))
  const organizationUuid = parseId('organization', String(given['organization']))
  const { unsent, selection } = given
  const isKnown = unsent === 'send_first' || unsent === 'cancel'
  if (uuid === null || organizationUuid === null || !isKnown || !isSelection(selection)) return null
  return {
    ...{ uuid, organizationUuid, unsent },
    selection: readSelection(JSON.stringify(selection)),
  }
}

function isSelection(given: unknown): boolean {
  const { eventIds, filter, key } = Object(given)
  const { path, salt, hash } = Object(key)
  return (
    Array.isArray(eventIds) ||
    (typeof filter === 'object' && filter !== null) ||
    [path, salt, hash].every((part) => typeof part === 'string')
  )
}

function fail(line: number): never {
  throw new Error(
    `Line ${line} is no erasure. Give a file that \`posthorn erase --list\` has written.`,
  )
}

import { randomId } from '@mantine/hooks'
import type { HeaderInput } from '../../generated/graphql.ts'
import type { HeaderValues } from '../headers/use-revealed-headers.ts'

export interface HeaderRow {
  /** Identifies the row while its name is typed. */
  readonly key: string
  name: string
  /** Empty for a stored header whose value stays. */
  value: string
  /** The header that the webhook has. Null for a new row. */
  readonly stored: StoredHeader | null
}

interface StoredHeader {
  readonly name: string
  /** Null until the reader reveals it. */
  readonly value: string | null
}

export function headerRow(name = '', value = ''): HeaderRow {
  return { key: randomId(), name, value, stored: null }
}

export function storedHeaderRow(name: string): HeaderRow {
  return { key: randomId(), name, value: '', stored: { name, value: null } }
}

/** Whether the stored value of the row stays. */
export function keepsValue({ name, value, stored }: HeaderRow): boolean {
  const isSame = stored?.name.toLowerCase() === name.trim().toLowerCase()
  return isSame && (value === '' || value === stored.value)
}

/** Shows the stored values, except in rows where the reader typed another one. */
export function fillIn(rows: readonly HeaderRow[], values: HeaderValues): HeaderRow[] {
  return rows.map((row) => {
    const value = row.stored && values.get(row.stored.name)
    if (!row.stored || value == null) return row
    const stored = { ...row.stored, value }
    return { ...row, stored, value: row.value === '' ? value : row.value }
  })
}

export function hideAgain(rows: readonly HeaderRow[]): HeaderRow[] {
  return rows.map((row) => (keepsValue(row) ? { ...row, value: '' } : row))
}

export function headerInput(row: HeaderRow): HeaderInput {
  const name = row.name.trim()
  return keepsValue(row) ? { name } : { name, value: row.value }
}

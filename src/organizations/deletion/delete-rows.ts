import type { Sql } from '../../db/client.ts'

/** What a page did, and where the next one begins. */
export interface PageResult {
  readonly deleted: number
  /** The values of its last row. Null after the last page. */
  readonly reached: readonly string[] | null
  /** Keys of jobs that run, and may write rows until they end. */
  readonly runningJobs?: readonly string[]
}

/** Deletes the next rows of a table or a detached partition. */
export async function deleteRows(
  sql: Sql,
  organizationUuid: string,
  table: string,
  key: readonly string[],
  after: readonly string[] | null,
  maxRows: number,
): Promise<PageResult> {
  const { rows } = await sql.query<PageResult>(
    'select * from posthorn.delete_organization_rows($1, $2, $3, $4, $5)',
    [organizationUuid, table, key, after, maxRows],
  )
  return rows[0] ?? { deleted: 0, reached: null }
}

/** Removes what operational events and mails to operators say about the organization. */
export async function forgetInNotices(
  sql: Sql,
  organizationUuid: string,
  after: readonly string[] | null,
  maxRows: number,
): Promise<PageResult> {
  const { rows } = await sql.query<{ changed: number; reached: string | null }>(
    'select * from posthorn.forget_organization_in_notices($1, $2, $3)',
    [organizationUuid, after?.[0] ?? null, maxRows],
  )
  const [page] = rows
  return { deleted: page?.changed ?? 0, reached: page?.reached ? [page.reached] : null }
}

export async function deleteOrganizationItself(
  sql: Sql,
  organizationUuid: string,
): Promise<PageResult> {
  await sql.query('select posthorn.delete_organization_itself($1)', [organizationUuid])
  return { deleted: 0, reached: null }
}

/** Replaces the statistics of the next table, which may have values of rows that are deleted. */
export async function renewStatistics(
  sql: Sql,
  organizationUuid: string,
  after: readonly string[] | null,
): Promise<PageResult> {
  const { rows } = await sql.query<{ name: string | null }>(
    'select posthorn.renew_statistics_after_deletion($1, $2) as name',
    [organizationUuid, after?.[0] ?? null],
  )
  const name = rows[0]?.name ?? null
  return { deleted: 0, reached: name === null ? null : [name] }
}

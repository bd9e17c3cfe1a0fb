import type { Db, Sql } from '../db/client.ts'
import { containing } from '../db/containing.ts'
import type { Organization, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf, sliceAround } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { notFound } from '../lib/errors.ts'
import { labelHash, type OwnNameFilter, ownNameConditions } from './own-names/metadata.ts'

type Query = Pick<Prisma.OrganizationFindUniqueArgs, 'select' | 'include'>

/** The organization with a uuid. Throws if there is none. */
export async function findOrganization(db: Db, uuid: string, query: Query): Promise<Organization> {
  return await db.organization.findUniqueOrThrow({ ...query, where: { id: uuid } })
}

/** A public id, or the uid that an operator chose. */
export type OrganizationName = { readonly id: string } | { readonly uid: string }

/** The organization with a name, or `null`, also for one that is being deleted. */
export async function findNamedOrganization(
  db: Db,
  name: OrganizationName,
  query: Query = {},
): Promise<Organization | null> {
  const id = 'id' in name ? parseId('organization', name.id) : undefined
  if (id === null) return null
  return await db.organization.findFirst({
    ...atLeastKey(query),
    where: { ...(id === undefined ? name : { id }), deletedAt: null },
  })
}

/** The organization with a public id or a uid. Throws `not_found`. */
export async function getOrganization(db: Db, idOrUid: string): Promise<Organization> {
  const name = parseId('organization', idOrUid) ? { id: idOrUid } : { uid: idOrUid }
  const organization = await findNamedOrganization(db, name)
  if (!organization) throw notFound('organization', idOrUid)
  return organization
}

/** All organizations, oldest first. */
export async function listOrganizations(db: Db): Promise<Organization[]> {
  return await db.organization.findMany({ where: { deletedAt: null }, orderBy: { id: 'asc' } })
}

/** Conditions on organizations. A missing or null field matches every organization. */
export interface OrganizationFilter extends OwnNameFilter {
  /** A part of the name or of the uid. */
  readonly search?: string | null | undefined
}

export type OrganizationOrder = 'newest first' | 'damage first'

/** A page of all organizations that match the filter. */
export async function findOrganizations(
  db: Db,
  sql: Sql,
  filter: OrganizationFilter,
  query: Query & Page,
  order: OrganizationOrder,
): Promise<Organization[]> {
  if (order === 'damage first') return await findByDamage(db, sql, filter, query)
  const { where, ...page } = pageOf(query, 'newest first')
  return await db.organization.findMany({
    ...page,
    where: { ...where, deletedAt: null, AND: conditions(filter) },
  })
}

function conditions({ search, ...ownNames }: OrganizationFilter): Prisma.OrganizationWhereInput[] {
  const name =
    typeof search === 'string'
      ? { OR: [{ name: containing(search) }, { uid: containing(search) }] }
      : {}
  return [name, ...ownNameConditions(ownNames)]
}

/** Reads the ids of all first. An installation has few organizations and webhooks. */
async function findByDamage(
  db: Db,
  sql: Sql,
  { search, uid, metadata }: OrganizationFilter,
  { cursor, skip: _, take, ...selection }: Query & Page,
): Promise<Organization[]> {
  const { rows } = await sql.query<{ id: string }>({
    name: 'order_organizations_by_damage',
    text: `
      select o.id from posthorn.organizations as o
      left join (
        select organization_id, count(*) filter (where state = 'on_hold') as on_hold,
          count(*) filter (where state = 'failing') as failing, count(*) filter (where state = 'behind') as behind,
          count(*) filter (where state = 'degraded') as degraded, min(oldest_waiting_at) as oldest_waiting_at
        from posthorn.webhook_states where state in ('on_hold', 'failing', 'behind', 'degraded') group by 1
      ) as damage on damage.organization_id = o.id
      where o.deleted_at is null
        and ($1 = '' or strpos(lower(o.name), lower($1)) > 0 or strpos(lower(o.uid), lower($1)) > 0) and ($2::text is null or o.uid = $2)
        and o.label_hashes @> $3
      order by coalesce(on_hold, 0) desc, coalesce(failing, 0) desc, coalesce(behind, 0) desc,
        coalesce(degraded, 0) desc, oldest_waiting_at, o.id desc`,
    values: [search ?? '', uid ?? null, (metadata ?? []).map(labelHash)],
  })
  const page = sliceAround(
    rows.map(({ id }) => id),
    cursor?.id,
    take,
  )
  const found = await db.organization.findMany({
    ...atLeastKey(selection),
    where: { id: { in: page } },
  })
  const byId = new Map(found.map((organization) => [organization.id, organization]))
  return page.flatMap((id) => byId.get(id) ?? [])
}

/** The uuid of the organization with a public id or a uid, or null. */
export async function findOrganizationUuid(sql: Sql, idOrUid: string): Promise<string | null> {
  const uuid = parseId('organization', idOrUid)
  const column = uuid === null ? 'uid' : 'id'
  const { rows } = await sql.query<{ id: string }>({
    name: `find_organization_by_${column}`,
    text: `select id from posthorn.organizations where ${column} = $1 and deleted_at is null`,
    values: [uuid ?? idOrUid],
  })
  return rows[0]?.id ?? null
}

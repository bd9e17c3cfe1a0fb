import type { Db, Sql } from '../db/client.ts'
import { containing } from '../db/containing.ts'
import type { Organization, Prisma } from '../db/generated/prisma/client.ts'
import { parseId } from '../db/ids.ts'
import { type Page, pageOf, sliceAround } from '../db/page.ts'
import { atLeastKey } from '../db/selection.ts'
import { notFound } from '../lib/errors.ts'
import { type OwnNameFilter, ownNameConditions } from './own-names/metadata.ts'

type Query = Pick<Prisma.OrganizationFindUniqueArgs, 'select' | 'include'>

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
  filter: OrganizationFilter,
  query: Query & Page,
  order: OrganizationOrder,
): Promise<Organization[]> {
  if (order === 'damage first') return await findByDamage(db, filter, query)
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

/** The states of webhooks that are damage, the worst first. */
const DAMAGE = ['on_hold', 'failing', 'behind', 'degraded']

/** The organizations with damage, the worst first, and the newest of equal ones. */
const DAMAGED = `
  select organization_id as id from posthorn.webhook_states where state in ('${DAMAGE.join("','")}') group by 1
  order by ${DAMAGE.map((state) => `count(*) filter (where state = '${state}') desc`).join(', ')}, 1 desc`

/** Reads the ids of all first: Prisma cannot order by states. An installation has few organizations and webhooks. */
async function findByDamage(
  db: Db,
  filter: OrganizationFilter,
  { cursor, skip: _, take, ...selection }: Query & Page,
): Promise<Organization[]> {
  const damaged = await db.$queryRawUnsafe<{ id: string }[]>(DAMAGED)
  const found = await db.organization.findMany({
    where: { deletedAt: null, AND: conditions(filter) },
    select: { id: true },
    orderBy: { id: 'desc' },
  })
  const all = new Set(found.map(({ id }) => id))
  const ids = [...new Set([...damaged.map(({ id }) => id).filter((id) => all.has(id)), ...all])]
  const page = sliceAround(ids, cursor?.id, take)
  const organizations = await db.organization.findMany({
    ...atLeastKey(selection),
    where: { id: { in: page } },
  })
  const byId = new Map(organizations.map((organization) => [organization.id, organization]))
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

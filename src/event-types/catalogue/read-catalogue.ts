import type { Sql } from '../../db/client.ts'
import { OPERATIONAL_PREFIX } from '../event-type.ts'
import type { CatalogueType } from './catalogue-type.ts'

/** The event types of the catalogue by code points of their names, archived ones included, without Posthorn's own. */
export async function readCatalogue(sql: Sql): Promise<CatalogueType[]> {
  const { rows } = await sql.query<CatalogueType>({
    name: 'read_catalogue',
    text: `
      select name, description, group_name as "group", search_keys as "searchKeys",
        archived_at is not null as archived, schema::text, example::text
      from posthorn.event_types where not starts_with(name, $1) order by name collate "C"`,
    values: [OPERATIONAL_PREFIX],
  })
  return rows
}

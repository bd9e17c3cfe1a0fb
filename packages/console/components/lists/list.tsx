import type { ReactNode } from 'react'
import type { CombinedError } from 'urql'
import { QueryError } from '../query-error.tsx'
import { ListPages } from './list-pages.tsx'
import { ListTable, type ListTableProps } from './list-table.tsx'
import { type Cursors, type PageInfo, reversed } from './use-cursors.ts'

export type { Column } from './list-table.tsx'

interface ListProps<Row> extends ListTableProps<Row> {
  readonly error?: CombinedError | undefined
  reload(): void
  /** Shown instead of an empty list. */
  readonly empty: ReactNode
  readonly pages?: { readonly info: PageInfo | undefined; readonly cursors: Cursors }
}

/** A list that is loading, failed, empty or filled, with buttons for the previous and next page. */
export function List<Row>({ error, reload, empty, pages, ...table }: ListProps<Row>) {
  const isReversed = pages?.cursors.oldestFirst === true
  const shown = isReversed
    ? reversed(table.rows, pages.info)
    : { rows: table.rows, info: pages?.info }
  const { rows } = shown
  if (error && !rows) return <QueryError error={error} reload={reload} />
  if (rows?.length === 0 && !pages?.cursors.moved) return empty
  return (
    <div>
      <ListTable {...table} rows={rows} sorts={pages !== undefined} />
      {pages && <ListPages cursors={pages.cursors} info={shown.info} shown={rows?.length} />}
    </div>
  )
}

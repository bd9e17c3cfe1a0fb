import { Button, Group, Paper, Skeleton, Text, VisuallyHidden } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { CombinedError } from 'urql'
import { QueryError } from '../query-error.tsx'
import type { Cursors, PageInfo } from './use-cursors.ts'

export interface Column<Row> {
  /** Empty for a column of buttons. */
  readonly label: string
  cell(row: Row): ReactNode
  /** Aligns the cells to the end, for numbers. */
  readonly end?: boolean
  /** A CSS width. */
  readonly width?: number | string
}

interface ListProps<Row> {
  /** The accessible name. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while loading. */
  readonly rows: readonly Row[] | undefined
  keyOf(row: Row): string
  /** The page of a row: the first cell becomes a link to it. */
  to?(row: Row): string
  /** Shown below an open row, across all columns. Null for the other rows. */
  detail?(row: Row): ReactNode
  readonly error?: CombinedError | undefined
  readonly stale?: boolean
  retry(): void
  /** Shown instead of an empty list. */
  readonly empty: ReactNode
  readonly pages?: { readonly info: PageInfo | undefined; readonly cursors: Cursors }
  /** Leaves out the card, inside a `Section`. */
  readonly bare?: boolean
}

/** A list that is loading, failed, empty or filled, with buttons for the previous and next page. */
export function List<Row>(props: ListProps<Row>) {
  const { rows, error, retry, empty, bare = false } = props
  if (error && !rows) return <QueryError error={error} retry={retry} />
  const content = rows?.length === 0 && !props.pages?.cursors.moved ? empty : <Table {...props} />
  if (bare) return content
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      {content}
    </Paper>
  )
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e']

function Table<Row>(props: ListProps<Row>) {
  const { label, columns, rows, keyOf, to, detail, stale = false, pages } = props
  return (
    <>
      <div className="ph-list-frame">
        <table
          className="ph-list"
          aria-label={label}
          aria-busy={!rows || stale}
          data-stale={stale || undefined}
        >
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column.label}
                  scope="col"
                  className={column.end ? 'ph-end' : undefined}
                  style={{ width: column.width }}
                >
                  {column.label || <VisuallyHidden>Actions</VisuallyHidden>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows?.map((row) => {
              const below = detail?.(row)
              return (
                <Fragment key={keyOf(row)}>
                  <tr>
                    {columns.map((column, index) => (
                      <td
                        key={column.label}
                        className={column.end ? 'ph-end' : undefined}
                        data-label={index > 0 && column.label !== '' ? column.label : undefined}
                      >
                        {index === 0 && to ? (
                          <Link className="ph-row-link" to={to(row)}>
                            {column.cell(row)}
                          </Link>
                        ) : (
                          column.cell(row)
                        )}
                      </td>
                    ))}
                  </tr>
                  {below && (
                    <tr className="ph-detail">
                      <td colSpan={columns.length}>{below}</td>
                    </tr>
                  )}
                </Fragment>
              )
            })}
            {!rows &&
              SKELETON_ROWS.map((key) => (
                <tr key={key}>
                  {columns.map((column) => (
                    <td key={column.label}>
                      <Skeleton height={14} my={4} maw={160} w="100%" />
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {pages && <Pages {...pages} shown={rows?.length} />}
    </>
  )
}

interface PagesProps {
  readonly info: PageInfo | undefined
  readonly cursors: Cursors
  readonly shown: number | undefined
}

function Pages({ info, cursors, shown }: PagesProps) {
  if (!info) return null
  const isFirst = !info.hasPreviousPage && !cursors.moved
  const isLast = !info.hasNextPage
  return (
    <Group
      justify="space-between"
      px="lg"
      py="xs"
      style={{ borderTop: '1px solid var(--posthorn-line)' }}
    >
      <Text size="xs" c="dimmed">
        {shown === 0 ? 'This page is empty.' : isLast ? 'End of the list.' : ''}
      </Text>
      {!(isFirst && isLast) && (
        <Group gap="xs">
          {cursors.moved && (
            <Button size="xs" variant="subtle" onClick={cursors.toStart}>
              First page
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            disabled={isFirst || !info.startCursor}
            onClick={() => info.startCursor && cursors.toPrevious(info.startCursor)}
          >
            Previous
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={isLast || !info.endCursor}
            onClick={() => info.endCursor && cursors.toNext(info.endCursor)}
          >
            Next
          </Button>
        </Group>
      )}
    </Group>
  )
}

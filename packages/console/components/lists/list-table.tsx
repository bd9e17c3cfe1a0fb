import { t } from '../../language/t.ts'
import './list.css'
import { Skeleton, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { Fragment, type PointerEvent, type ReactNode } from 'react'
import { Link } from 'react-router'
import { useOrder } from './use-order.ts'

export interface Column<Row> {
  /** Empty for a column of buttons. */
  readonly label: string
  cell(row: Row): ReactNode
  /** Aligns the cells to the end, for numbers. */
  readonly end?: boolean
  /** A CSS width. */
  readonly width?: number | string
  /** Shares the room that the other columns leave; its text ends in an ellipsis. Default: the first column. */
  readonly grow?: boolean
  /** 1, the default, stays. 4 goes first as the box narrows, then 3 and 2. Cards of narrow boxes show all. */
  readonly priority?: 1 | 2 | 3 | 4
  /** The order of the list by this column. A click on the label sorts, and another returns to the usual order. */
  readonly order?: ColumnOrder
}

interface ColumnOrder {
  /** The query parameter. */
  readonly value: string
  readonly direction: 'ascending' | 'descending'
  /** For the column of the usual order: its direction. */
  readonly usual?: 'ascending' | 'descending'
}

export interface ListTableProps<Row> {
  /** The accessible name. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while loading. */
  readonly rows: readonly Row[] | undefined
  keyOf(row: Row): string
  /** The page of a row: the first cell with a label becomes a link to it. */
  to?(row: Row): string
  /** Shown below an open row, across all columns. Null for the other rows. */
  detail?(row: Row): ReactNode
  /** Whether the rows are about to change. */
  readonly stale?: boolean
  /** Whether labels of columns with an order sort the list. */
  readonly sorts?: boolean
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e']

/** The rows of a list, as a table or, in a narrow box, as cards. */
export function ListTable<Row>(props: ListTableProps<Row>) {
  const { label, columns, rows, keyOf, to, detail, stale = false, sorts = false } = props
  const { order } = useOrder()
  const linked = columns.findIndex((column) => column.label !== '')
  return (
    <div className="ph-list-frame">
      <table
        className="ph-list"
        aria-label={label}
        aria-busy={!rows || stale}
        data-stale={stale || undefined}
      >
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th
                key={column.label}
                scope="col"
                className={classOf(column, index)}
                data-priority={column.priority}
                style={{ width: widthOf(column, index) }}
                {...(sorts && column.order && { 'aria-sort': directionOf(column.order, order) })}
              >
                {sorts && column.order ? (
                  <SortLink label={column.label} order={column.order} />
                ) : (
                  column.label || <VisuallyHidden>{t('Actions')}</VisuallyHidden>
                )}
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
                      className={classOf(column, index)}
                      data-priority={column.priority}
                      data-label={index > 0 && column.label !== '' ? column.label : undefined}
                    >
                      <div className="ph-cell" onPointerEnter={showWhole}>
                        {index === linked && to ? (
                          <Link className="ph-row-link" to={to(row)}>
                            {column.cell(row)}
                          </Link>
                        ) : (
                          column.cell(row)
                        )}
                      </div>
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
                {columns.map((column, index) => (
                  <td
                    key={column.label}
                    className={classOf(column, index)}
                    data-priority={column.priority}
                  >
                    <Skeleton height={10} w={index === 0 ? '60%' : 64} />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  )
}

function SortLink({ label, order }: { label: string; order: ColumnOrder }) {
  const { order: current, to } = useOrder()
  const direction = directionOf(order, current)
  const Arrow = direction === 'ascending' ? IconArrowUp : IconArrowDown
  return (
    <Link className="ph-sort" to={to(current === order.value ? null : order.value)} replace>
      {label}
      {direction && <Arrow size={12} aria-hidden="true" />}
    </Link>
  )
}

/** The direction in which the list is sorted by a column. Undefined if it is sorted by another. */
function directionOf({ value, direction, usual }: ColumnOrder, current: string | null) {
  if (current === value) return direction
  return current === null ? usual : undefined
}

function classOf<Row>({ end, grow }: Column<Row>, index: number): string | undefined {
  const names = [end && 'ph-end', (grow ?? index === 0) && 'ph-grow'].filter(Boolean)
  return names.join(' ') || undefined
}

function widthOf<Row>({ width, grow }: Column<Row>, index: number) {
  return width ?? ((grow ?? index === 0) ? '50%' : undefined)
}

/** Gives a cell whose text does not fit a tooltip with the whole text. */
function showWhole({ currentTarget }: PointerEvent<HTMLDivElement>): void {
  const isCut = currentTarget.scrollWidth > currentTarget.clientWidth
  currentTarget.title = isCut ? (currentTarget.textContent ?? '') : ''
}

import 'mantine-datatable/styles.layer.css'
import './list.css'
import { Button, Group, Skeleton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { DataTable, type DataTableColumn } from 'mantine-datatable'
import type { PointerEvent, ReactNode } from 'react'
import { Link } from 'react-router'
import type { CombinedError } from 'urql'
import type { PageInfoFragment } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { NoMatches } from '../page/empty-state.tsx'
import { QueryError } from '../query-error.tsx'
import type { Selection } from '../selection/use-selection.ts'
import { type Cursors, reversed } from './use-cursors.ts'
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
  /**
   * 4 goes first as the box narrows, then 3 and 2. Of the others, a phone has room for the first two, and for buttons.
   */
  readonly priority?: 2 | 3 | 4
  /** The order of the list by this column. A click on the label sorts, and another returns to the usual order. */
  readonly order?: ColumnOrder
}

interface ColumnOrder {
  /** The query parameter. */
  readonly value: string
  readonly direction: Direction
  /** For the column of the usual order: its direction. */
  readonly usual?: Direction
}

type Direction = 'ascending' | 'descending'

interface ListProps<Row> {
  /** The accessible name. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while loading. */
  readonly rows: readonly Row[] | undefined
  keyOf(row: Row): string
  /** The page of a row: the first cell with a label becomes a link to it. */
  to?(row: Row): string
  /** Whether the rows are about to change. */
  readonly stale?: boolean
  readonly error?: CombinedError | undefined
  reload(): void
  /** Shown instead of an empty list. */
  readonly empty: ReactNode
  /** While filters are active: offered instead of an empty list. */
  readonly clearFilters?: false | (() => void)
  readonly pages?: { readonly info: PageInfoFragment | undefined; readonly cursors: Cursors }
  /** Adds a check box to each row. */
  readonly selection?: Selection | undefined
}

/** Stand for the rows while they load. */
const LOADING: readonly unknown[] = ['a', 'b', 'c', 'd', 'e']

/** A list that is loading, failed, empty or filled, with buttons for the previous and next page. */
export function List<Row>(props: ListProps<Row>) {
  const { label, columns, keyOf, to, stale = false, error, reload, pages, selection } = props
  const { empty, clearFilters } = props
  const { rows, info } = pages?.cursors.oldestFirst
    ? reversed(props.rows, pages.info)
    : { rows: props.rows, info: pages?.info }
  if (error && !rows) return <QueryError error={error} reload={reload} />
  if (rows?.length === 0 && !pages?.cursors.moved) {
    return clearFilters ? <NoMatches clear={clearFilters} /> : empty
  }
  const linked = columns.findIndex((column) => column.label !== '')
  const toDataColumn = (column: Column<Row>, index: number): DataTableColumn<Row> => {
    const className = classOf(column, index, linked)
    return {
      accessor: column.label || 'actions',
      title:
        pages && column.order ? (
          <SortLink label={column.label} order={column.order} />
        ) : (
          column.label || t('Actions')
        ),
      textAlign: column.end ? 'right' : 'left',
      titleClassName: className,
      titleStyle: { width: column.width ?? (isGrowing(column, index) ? '50%' : undefined) },
      cellsClassName: className,
      customCellAttributes: () => ({ onPointerEnter: showWhole }),
      render(row) {
        if (!rows) return <Skeleton h={10} w={index === linked ? '60%' : 64} />
        if (index !== linked || !to) return column.cell(row)
        return (
          <Link className="ph-row-link" to={to(row)}>
            {column.cell(row)}
          </Link>
        )
      },
    }
  }
  return (
    <div>
      <DataTable<Row>
        aria-label={label}
        aria-busy={!rows || stale}
        fz="sm"
        horizontalSpacing={12}
        verticalSpacing={4}
        classNames={{ root: 'ph-list-frame', table: 'ph-list' }}
        borderColor="var(--posthorn-line)"
        highlightOnHover={to !== undefined}
        highlightOnHoverColor="var(--posthorn-sunken)"
        data-stale={stale || undefined}
        records={[...(rows ?? (LOADING as Row[]))]}
        idAccessor={rows ? keyOf : String}
        columns={columns.map(toDataColumn)}
        // A text of the library is in the page even while there are rows.
        emptyState={rows?.length === 0 ? t('End of the list.') : ' '}
        {...(selection && {
          selectedRecords: rows?.filter((row) => selection.has(keyOf(row))) ?? [],
          onSelectedRecordsChange: (chosen: Row[]) =>
            selection.selectShown(rows?.map(keyOf) ?? [], chosen.map(keyOf)),
          selectionColumnStyle: { width: 36, minWidth: 36 },
          selectionCheckboxProps: { size: 'xs', disabled: !rows },
          allRecordsSelectionCheckboxProps: { 'aria-label': t('Select all on this page') },
          getRecordSelectionCheckboxProps: (row: Row) => ({
            'aria-label': t('Select {row}', { row: rows ? keyOf(row) : '' }),
          }),
        })}
      />
      {pages && info && <ListPages info={info} cursors={pages.cursors} />}
    </div>
  )
}

function SortLink({ label, order }: { label: string; order: ColumnOrder }) {
  const { order: current, to } = useOrder()
  const isCurrent = current === order.value
  const direction = isCurrent ? order.direction : current === null && order.usual
  const Arrow = direction === 'ascending' ? IconArrowUp : IconArrowDown
  return (
    <Link className="ph-sort" to={to(isCurrent ? null : order.value)} replace>
      {label}
      {direction && (
        <Arrow
          size={12}
          role="img"
          aria-label={direction === 'ascending' ? t('Sorted ascending') : t('Sorted descending')}
        />
      )}
    </Link>
  )
}

/** The buttons for the previous and the next page. Nothing for a list of one page. */
function ListPages({ info, cursors }: { info: PageInfoFragment; cursors: Cursors }) {
  const { startCursor, endCursor, hasNextPage, hasPreviousPage } = info
  const { moved, toPrevious, toNext } = cursors
  const isFirst = !hasPreviousPage && !moved
  if (isFirst && !hasNextPage) return null
  return (
    <Group justify="end" gap="xs" py="xs">
      <Button
        size="xs"
        variant="default"
        disabled={isFirst || !startCursor}
        onClick={() => startCursor && toPrevious(startCursor)}
      >
        {t('Previous')}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={!hasNextPage || !endCursor}
        onClick={() => endCursor && toNext(endCursor)}
      >
        {t('Next')}
      </Button>
    </Group>
  )
}

const isGrowing = <Row,>({ grow }: Column<Row>, index: number) => grow ?? index === 0

function classOf<Row>(column: Column<Row>, index: number, linked: number): string {
  const isOnPhones = index <= linked + 1 || column.label === ''
  const priority = column.priority ?? (isOnPhones ? 'always' : 1)
  return `ph-priority-${priority} ${isGrowing(column, index) ? 'ph-grow' : ''}`
}

/** Gives a cell whose text does not fit a tooltip with the whole text. */
function showWhole({ currentTarget }: PointerEvent<HTMLElement>): void {
  const isCut = currentTarget.scrollWidth > currentTarget.clientWidth
  currentTarget.title = isCut ? (currentTarget.textContent ?? '') : ''
}

import { Checkbox } from '@mantine/core'
import { t } from '../../language/t.ts'
import type { Column } from '../lists/list.tsx'
import './selection.css'
import type { Selection } from './use-selection.ts'

/** The column of check boxes. A click, or the space bar, with Shift selects a range. */
export function selectColumn<Row extends { readonly id: string }>(
  selection: Selection,
  labelOf: (row: Row) => string,
): Column<Row> {
  return {
    label: '',
    width: 36,
    grow: false,
    cell: (row) => (
      <Checkbox
        size="xs"
        className="ph-select ph-corner"
        aria-label={t('Select {row}', { row: labelOf(row) })}
        checked={selection.has(row.id)}
        onChange={({ nativeEvent }) =>
          selection.toggle(row.id, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
        }
      />
    ),
  }
}

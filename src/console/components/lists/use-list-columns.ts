import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { changedParams } from '../../lib/changed-params.ts'
import { readStored, store } from '../../lib/storage.ts'
import { readList } from '../filters/filter-params.ts'
import type { Column } from './list-table.tsx'

/** A column that the reader can hide or show. */
interface ColumnChoice {
  readonly name: string
  readonly label: string
  readonly isShown: boolean
}

/**
 * The columns of a list that the reader chose: those that the address names, otherwise those that this browser remembers
 * for the list. The first column with a label, and those without one, always stay.
 */
export function useListColumns<Row>(list: string, all: readonly Column<Row>[]) {
  const storedAs = `posthorn-columns ${list}`
  const [params, setParams] = useSearchParams()
  const [stored, setStored] = useState(() => readStored('local', storedAs))
  const [first, ...optional] = all.filter(({ label }) => label !== '')
  const named = readList(params.get(PARAM) ?? stored)
  const isShown = (column: Column<Row>) =>
    named.length > 0 ? named.includes(nameOf(column)) : column.isExtra !== true
  const choices: readonly ColumnChoice[] = optional.map((column) => ({
    name: nameOf(column),
    label: column.label,
    isShown: isShown(column),
  }))

  function toggle(name: string) {
    const next = choices
      .filter((one) => (one.name === name ? !one.isShown : one.isShown))
      .map((one) => one.name)
    const usual = optional.filter(({ isExtra }) => !isExtra).map(nameOf)
    // A list of the first column only has a name too, as an empty one would mean the usual columns.
    const value = String(next) === String(usual) ? '' : next.join(',') || 'none'
    store('local', storedAs, value)
    setStored(value)
    if (params.has(PARAM)) {
      setParams((current) => changedParams(current, { [PARAM]: value }), { replace: true })
    }
  }

  return {
    columns: all.filter((column) => column === first || column.label === '' || isShown(column)),
    choices,
    toggle,
    /** The columns as a query parameter. Null for the usual ones. */
    param: named.length > 0 ? named.join(',') : null,
  }
}

const PARAM = 'columns'

/** `Oldest waiting` -> `oldest-waiting` */
const nameOf = ({ label }: { readonly label: string }) =>
  label.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')

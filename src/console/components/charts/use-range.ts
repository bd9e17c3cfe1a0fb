import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { changedParams } from '../../changed-params.ts'
import { type ChartRange, DEFAULT_RANGE, rangeOf } from './chart-range.ts'

/** The time range of a page's charts, in its query parameters. A change is a step in the history, so Back undoes a zoom. */
export function useRange() {
  const [params, setParams] = useSearchParams()
  const [value, from, to] = ['range', 'from', 'to'].map((name) => params.get(name))
  const range: ChartRange = useMemo(
    () => rangeOf(value ?? null, from ?? null, to ?? null),
    [value, from, to],
  )

  const change = (changes: Readonly<Record<'range' | 'from' | 'to', string | null>>) =>
    setParams((current) => changedParams(current, changes))

  return {
    range,
    choose: (chosen: string) =>
      change({ range: chosen === DEFAULT_RANGE.value ? null : chosen, from: null, to: null }),
    zoom: (since: string, until: string) => change({ range: null, from: since, to: until }),
  }
}

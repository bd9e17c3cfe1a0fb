import { lazy, Suspense } from 'react'

const FilterValue = lazy(() =>
  import('../webhooks/filter/filter-value.tsx').then((m) => ({ default: m.FilterValue })),
)

/** The filter of a webhook, which the log has as text, in words. */
export function FilterInWords({ text }: { text: string }) {
  return (
    <Suspense fallback={text}>
      <FilterValue text={text} />
    </Suspense>
  )
}

import { useRead } from '../../api/use-read.ts'
import { boundsOf, DEFAULT_RANGE } from '../../components/charts/chart-range.ts'
import { CodeBlock } from '../../components/json/code-block.tsx'
import { formatJson } from '../../components/json/format-json.ts'
import { Section } from '../../components/page/section.tsx'
import { useNow } from '../../components/time.tsx'
import { WebhookFilteredDocument } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { counted } from '../../lib/format.ts'
import { useSession } from '../../session/session.tsx'

interface FilterSummaryProps {
  readonly webhookId: string
  readonly filterText: string
}

/** The filter of a webhook, and how many events it refused lately. */
export function FilterSummary({ webhookId, filterText }: FilterSummaryProps) {
  const { can } = useSession()
  const bounds = boundsOf(DEFAULT_RANGE, useNow())
  const pause = !can('deliveries:read')
  const { data } = useRead(WebhookFilteredDocument, { id: webhookId, ...bounds }, { pause })
  const buckets = data?.webhook?.statistics
  const refused = buckets?.reduce((sum, { filteredOut }) => sum + filteredOut, 0) ?? 0
  const undecided = buckets?.reduce((sum, { filterUndecided }) => sum + filterUndecided, 0) ?? 0
  const sentences = [
    `Refused ${counted(refused, 'event', 'events')} in the last 24 hours.`,
    undecided > 0 &&
      `${counted(undecided, 'event was', 'events were')} delivered without a decision, because the data cannot be compared.`,
  ]
  return (
    <Section title={t('Filter')} description={buckets && sentences.filter(Boolean).join(' ')}>
      <CodeBlock
        code={formatJson(filterText) ?? filterText}
        label="Filter as JSON"
        maxHeight={240}
      />
    </Section>
  )
}

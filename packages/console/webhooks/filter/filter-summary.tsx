import { Text } from '@mantine/core'
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
import { filterInWords } from './filter-in-words.ts'

interface FilterSummaryProps {
  readonly webhookId: string
  readonly filterText: string
}

/** The filter of a webhook in words and as JSON, and how many events it refused lately. */
export function FilterSummary({ webhookId, filterText }: FilterSummaryProps) {
  const words = filterInWords(filterText)
  return (
    <Section title={t('Filter')} description={<Refused webhookId={webhookId} />}>
      {words && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {words}
        </Text>
      )}
      <CodeBlock
        code={formatJson(filterText) ?? filterText}
        label="Filter as JSON"
        maxHeight={240}
      />
    </Section>
  )
}

function Refused({ webhookId }: { webhookId: string }) {
  const { can } = useSession()
  const bounds = boundsOf(DEFAULT_RANGE, useNow())
  const { data } = useRead(
    WebhookFilteredDocument,
    { id: webhookId, ...bounds },
    { pause: !can('deliveries:read') },
  )
  const buckets = data?.webhook?.statistics
  if (!buckets) return null
  const count = buckets.reduce((sum, { filteredOut }) => sum + filteredOut, 0)
  const undecided = buckets.reduce((sum, { filterUndecided }) => sum + filterUndecided, 0)
  const refused = `Refused ${counted(count, 'event', 'events')} in the last 24 hours.`
  if (undecided === 0) return refused
  return `${refused} ${counted(undecided, 'event was', 'events were')} delivered without a decision, because the data cannot be compared.`
}

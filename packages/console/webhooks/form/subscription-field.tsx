import { TagsInput, Text } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { usePageQuery } from '../../api/page-query.ts'
import { QueryError } from '../../components/query-error.tsx'
import { t } from '../../language/t.ts'
import { webhookCatalogueQuery } from '../webhook-queries.ts'
import { possiblePatterns } from './included-types.ts'

/** The event types that a webhook receives: names of the catalogue, and patterns. */
export function SubscriptionField(input: GetInputPropsReturnType) {
  const { data, error, reload } = usePageQuery(webhookCatalogueQuery)
  const catalogue = data?.eventTypes ?? []
  const descriptions = new Map(catalogue.map(({ name, description }) => [name, description]))
  const names = catalogue.map(({ name }) => name)
  if (error && !data) return <QueryError error={error} reload={reload} />
  return (
    <TagsInput
      label={t('Events')}
      description={`${t('The event types that this webhook receives.')} Patterns include types that come later: order.* all that begin with order., and * all.`}
      placeholder={t('Search event types')}
      withAsterisk
      data={[...names, ...possiblePatterns(names)]}
      limit={200}
      splitChars={[',', ' ']}
      renderOption={({ option: { value } }) => (
        <div>
          <span className="ph-mono">{value}</span>
          <Text size="xs" c="dimmed">
            {descriptions.get(value)}
          </Text>
        </div>
      )}
      {...input}
    />
  )
}

import { TagsInput, Text } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import type { WebhookCatalogueQuery } from '../../generated/graphql.ts'
import { t } from '../../language/t.ts'
import { possiblePatterns } from './included-types.ts'

interface SubscriptionFieldProps extends GetInputPropsReturnType {
  readonly catalogue: WebhookCatalogueQuery['eventTypes']
}

/** The event types that a webhook receives: names of the catalogue, and patterns. */
export function SubscriptionField({ catalogue, ...input }: SubscriptionFieldProps) {
  const descriptions = new Map(catalogue.map(({ name, description }) => [name, description]))
  const names = catalogue.map(({ name }) => name)
  return (
    <TagsInput
      label={t('Events')}
      description={`${t('The event types that this webhook receives.')} The pattern order.* selects each type that begins with order., and * selects all types. Patterns also select types that are added later.`}
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

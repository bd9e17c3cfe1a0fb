import { Button, Checkbox, Group, ScrollArea, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { usePageQuery } from '../../api/page-query.ts'
import { Section } from '../../components/page/section.tsx'
import { QueryError } from '../../components/query-error.tsx'
import { t } from '../../language/t.ts'
import { formatCount } from '../../lib/format.ts'
import { webhookCatalogueQuery } from '../webhook-queries.ts'
import { PatternField } from './pattern-field.tsx'
import { includedBy, includedTypes, isPattern } from './subscriptions.ts'

/** Catalogues with more event types get a search field, and scroll. */
const SEARCH_ABOVE = 8

interface SubscriptionPickerProps {
  readonly value: readonly string[]
  readonly error?: ReactNode
  onChange(names: string[]): void
}

/** Picks the event types that a webhook receives. */
export function SubscriptionPicker({ value, error, onChange }: SubscriptionPickerProps) {
  const { data, error: queryError, reload } = usePageQuery(webhookCatalogueQuery)
  const [search, setSearch] = useState('')
  const catalogue = data?.eventTypes ?? []
  const known = new Set(catalogue.map(({ name }) => name))
  // Archiving an event type keeps its subscriptions.
  const archived = value
    .filter((name) => data && !known.has(name) && !isPattern(name))
    .map((name) => ({
      name,
      description: 'Archived: you can remove this subscription, but not add it again.',
    }))
  const types = [...catalogue, ...archived]
  const words = search.trim().toLowerCase()
  const found = types.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(words),
  )
  const names = catalogue.map(({ name }) => name)
  const covered = new Set(includedBy(value, names))
  const missing = found
    .map(({ name }) => name)
    .filter((name) => !value.includes(name) && !covered.has(name))
  const selectsAll = missing.length > 0 || found.length === 0
  const [all, none] =
    words === '' ? [t('Select all'), t('Select none')] : ['Select all found', 'Select none found']

  if (queryError && !data) return <QueryError error={queryError} reload={reload} />
  return (
    <Section
      title={t('Events')}
      description={t('The event types that this webhook receives.')}
      actions={
        <Group gap="xs">
          <Text size="sm" c="dimmed" aria-live="polite">
            {t('{count} of {total}', {
              count: formatCount(includedTypes(value, names).length),
              total: formatCount(types.length),
            })}
          </Text>
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              onChange(missing.length > 0 ? [...value, ...missing] : without(value, found))
            }
          >
            {selectsAll ? all : none}
          </Button>
        </Group>
      }
    >
      {types.length > SEARCH_ABOVE && (
        <TextInput
          aria-label={t('Search event types')}
          placeholder={t('Search event types')}
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <Checkbox.Group
        aria-label={t('Event types')}
        value={[...value, ...covered]}
        onChange={(chosen) =>
          onChange(chosen.filter((name) => value.includes(name) || !covered.has(name)))
        }
        error={error}
        errorProps={{ role: 'alert', mt: 'xs' }}
      >
        <ScrollArea.Autosize
          mah={types.length > SEARCH_ABOVE ? 360 : undefined}
          type="hover"
          offsetScrollbars="present"
          viewportProps={{ tabIndex: -1 }}
        >
          <Stack gap="sm" p={4}>
            {found.map(({ name, description }) => (
              <Checkbox
                key={name}
                value={name}
                label={<span className="ph-mono">{name}</span>}
                description={description}
                disabled={covered.has(name) && !value.includes(name)}
                aria-invalid={error ? true : undefined}
              />
            ))}
            {found.length === 0 && data && (
              <Text size="sm" c="dimmed">
                {words === ''
                  ? 'No event types yet. An operator creates event types.'
                  : t('No match')}
              </Text>
            )}
          </Stack>
        </ScrollArea.Autosize>
      </Checkbox.Group>
      <PatternField value={value} names={names} onChange={onChange} />
    </Section>
  )
}

function without(value: readonly string[], found: readonly { readonly name: string }[]): string[] {
  return value.filter((name) => !found.some((type) => type.name === name))
}

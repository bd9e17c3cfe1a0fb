import { Button, Checkbox, Group, ScrollArea, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { Failure } from '../../components/failure.tsx'
import { Section } from '../../components/page/section.tsx'
import { formatCount } from '../../format.ts'
import { WebhookCatalogueDocument } from '../../generated/graphql.ts'

/** From here on, a search is worth its place. */
const MANY = 8

interface SubscriptionPickerProps {
  readonly value: readonly string[]
  readonly error?: ReactNode
  onChange(names: string[]): void
}

/** Which event types a webhook receives: the catalogue with its descriptions, to be ticked. */
export function SubscriptionPicker({ value, error, onChange }: SubscriptionPickerProps) {
  const { data, error: unread, reload } = useRead(WebhookCatalogueDocument, {})
  const [search, setSearch] = useState('')
  const catalogue = data?.eventTypes ?? []
  const known = new Set(catalogue.map(({ name }) => name))
  // Subscriptions to a type stay when it is archived.
  const archived = value
    .filter((name) => data && !known.has(name))
    .map((name) => ({ name, description: 'It is archived: once taken away, it cannot be added.' }))
  const types = [...catalogue, ...archived]
  const words = search.trim().toLowerCase()
  const found = types.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(words),
  )
  const missing = found.map(({ name }) => name).filter((name) => !value.includes(name))

  if (unread && !data) return <Failure error={unread} retry={reload} />
  return (
    <Section
      title="Events"
      description="What this webhook is told about."
      actions={
        <Group gap="xs">
          <Text size="sm" c="dimmed" aria-live="polite">
            {formatCount(value.length)} of {formatCount(types.length)}
          </Text>
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              onChange(missing.length > 0 ? [...value, ...missing] : without(value, found))
            }
          >
            {missing.length > 0 || found.length === 0 ? 'Select all' : 'Select none'}
            {words !== '' && ' that are found'}
          </Button>
        </Group>
      }
    >
      {types.length > MANY && (
        <TextInput
          aria-label="Search the event types"
          placeholder="Search the event types"
          leftSection={<IconSearch size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <Checkbox.Group
        aria-label="Event types"
        value={[...value]}
        onChange={onChange}
        error={error}
        errorProps={{ role: 'alert', mt: 'xs' }}
      >
        <ScrollArea.Autosize mah={360} type="auto" viewportProps={{ tabIndex: -1 }}>
          <Stack gap="sm" p={4}>
            {found.map(({ name, description }) => (
              <Checkbox
                key={name}
                value={name}
                label={<span className="ph-mono">{name}</span>}
                description={description}
                aria-invalid={error ? true : undefined}
              />
            ))}
            {found.length === 0 && data && (
              <Text size="sm" c="dimmed">
                {words === ''
                  ? 'There are no event types yet: an operator adds them to the catalogue.'
                  : 'No event type is like that.'}
              </Text>
            )}
          </Stack>
        </ScrollArea.Autosize>
      </Checkbox.Group>
    </Section>
  )
}

function without(value: readonly string[], found: readonly { readonly name: string }[]): string[] {
  return value.filter((name) => !found.some((type) => type.name === name))
}

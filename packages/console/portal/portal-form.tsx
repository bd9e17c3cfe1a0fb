import {
  Button,
  ColorInput,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useState } from 'react'
import { optionsOf } from '../components/filters/filter-params.ts'
import { useWebhookOptions } from '../components/filters/webhook-select.tsx'
import { Advanced } from '../components/forms/advanced.tsx'
import type { PortalPage } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import type { PortalOptions } from './portal-options.ts'

const SWATCHES = ['#2a50b4', '#0b7a4b', '#7048e8', '#c2255c', '#e8590c', '#0c8599']
const COLOR = { format: 'hex', swatches: SWATCHES, withEyeDropper: false } as const
const PIXELS = { suffix: ' px', min: 0, allowDecimal: false }
const GRID = { cols: { base: 1, xs: 2, lg: 4 }, spacing: 'md', verticalSpacing: 'sm' }
/** On the line of the fields beside it. */
const SWITCH_TOP = { base: 0, xs: 28 }

const SCHEMES = optionsOf({ AUTO: 'The reader’s', LIGHT: 'Light', DARK: 'Dark' })
const DENSITIES = optionsOf({ COMFORTABLE: 'Comfortable', COMPACT: 'Compact' })
/** By their seconds. */
const LIFETIMES = optionsOf({
  900: '15 minutes',
  3600: '1 hour',
  28800: '8 hours',
  86400: '24 hours',
})

/** Attempts are seen in their delivery. */
const PAGES = optionsOf<Exclude<PortalPage, 'ATTEMPTS'>>({
  OVERVIEW: 'Overview',
  WEBHOOKS: 'Endpoints',
  EVENTS: 'Events',
  DELIVERIES: 'Deliveries',
  EVENT_TYPES: 'Event types',
})

interface PortalFormProps {
  readonly form: UseFormReturnType<PortalOptions>
  onSubmit(options: PortalOptions): void
}

/** How the portal looks, and what its session may see and do, for how long. A key gives only scopes that it has. */
export function PortalForm({ form, onSubmit }: PortalFormProps) {
  const { can } = useSession()
  const [search, setSearch] = useState('')
  const { webhookId } = form.values
  const webhooks = useWebhookOptions(search, webhookId === null ? [] : [webhookId])
  const of = form.getInputProps
  const checked = (name: string) => of(name, { type: 'checkbox' })
  return (
    <form onSubmit={form.onSubmit(onSubmit)} noValidate>
      <Stack gap="md">
        <SimpleGrid {...GRID}>
          <ColorInput
            label="Primary color"
            placeholder="Of the console"
            {...COLOR}
            {...of('theme.primaryColor')}
          />
          <Select
            label="Color scheme"
            data={SCHEMES}
            allowDeselect={false}
            {...of('theme.colorScheme')}
          />
          <MultiSelect label="Pages" data={PAGES} {...of('pages')} />
          <Select
            label="Webhooks"
            placeholder="All webhooks"
            data={[...webhooks].map(([value, label]) => ({ value, label }))}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'All webhooks' }}
            nothingFoundMessage="No match"
            onSearchChange={setSearch}
            {...of('webhookId')}
          />
          <Select
            label="Session lifetime"
            data={LIFETIMES}
            allowDeselect={false}
            {...of('ttlSeconds')}
          />
          <Switch
            label="Allow changes"
            mt={SWITCH_TOP}
            disabled={!can('webhooks:write') && !can('deliveries:write')}
            {...checked('mayChange')}
          />
          <Switch
            label="Show signing secrets"
            mt={SWITCH_TOP}
            disabled={!can('secrets:read')}
            {...checked('withSecrets')}
          />
        </SimpleGrid>
        <Advanced
          summary="transparent, in the font and the density of the console, without its header"
          opened={Object.keys(form.errors).some((name) => name !== 'theme.primaryColor')}
        >
          <SimpleGrid {...GRID}>
            <ColorInput
              label="Background"
              placeholder="Transparent"
              {...COLOR}
              {...of('theme.backgroundColor')}
            />
            <ColorInput
              label="Text color"
              placeholder="Of the console"
              {...COLOR}
              {...of('theme.foregroundColor')}
            />
            <NumberInput
              label="Padding"
              placeholder="Default"
              max={64}
              {...PIXELS}
              {...of('theme.padding')}
            />
            <NumberInput
              label="Corner radius"
              placeholder="8 px"
              max={16}
              {...PIXELS}
              {...of('theme.radius')}
            />
            <Select
              label="Density"
              data={DENSITIES}
              allowDeselect={false}
              {...of('theme.density')}
            />
            <TextInput label="Font" placeholder="Figtree, sans-serif" {...of('theme.fontFamily')} />
            <TextInput
              label="Font file (WOFF2)"
              placeholder="https://…/figtree.woff2"
              {...of('theme.fontUrl')}
            />
            <TextInput label="Logo" placeholder="https://…/logo.svg" {...of('theme.logoUrl')} />
            <Switch
              label="Header and menu in a frame"
              mt={SWITCH_TOP}
              {...checked('theme.showHeader')}
            />
          </SimpleGrid>
        </Advanced>
        <Group justify="end">
          <Button type="submit">Update preview</Button>
        </Group>
      </Stack>
    </form>
  )
}

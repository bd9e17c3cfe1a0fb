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
import { Folded } from '../components/folded.tsx'
import type { PortalPage } from '../generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import type { PortalOptions } from './portal-options.ts'

const SWATCHES = ['#2a50b4', '#0b7a4b', '#7048e8', '#c2255c', '#e8590c', '#0c8599']
const COLOR = { format: 'hex', swatches: SWATCHES, withEyeDropper: false } as const
const PIXELS = { suffix: ' px', min: 0, allowDecimal: false }
const GRID = { cols: { base: 1, xs: 2, lg: 4 }, spacing: 'md', verticalSpacing: 'sm' }
const CONSOLE = 'Of the console'
/** The fields with errors that are not folded. */
const SHOWN = ['theme.primaryColor', 'pages', 'webhookId']
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

const PAGES = optionsOf<PortalPage>({
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
  const field = (name: string, label: string, placeholder = '') => ({
    label,
    placeholder,
    ...form.getInputProps(name),
  })
  const choice = (name: string, label: string) => ({ ...field(name, label), allowDeselect: false })
  const toggle = (name: string, label: string) => ({
    label,
    mt: SWITCH_TOP,
    ...form.getInputProps(name, { type: 'checkbox' }),
  })
  return (
    <form onSubmit={form.onSubmit(onSubmit)} noValidate>
      <Stack gap="md">
        <SimpleGrid {...GRID}>
          <ColorInput {...COLOR} {...field('theme.primaryColor', 'Primary color', CONSOLE)} />
          <Select data={SCHEMES} {...choice('theme.colorScheme', 'Color scheme')} />
          <MultiSelect data={PAGES} {...field('pages', 'Pages')} />
          <Select
            data={[...webhooks].map(([value, label]) => ({ value, label }))}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'All webhooks' }}
            nothingFoundMessage="No match"
            onSearchChange={setSearch}
            {...field('webhookId', 'Webhooks', 'All webhooks')}
          />
          <Select data={LIFETIMES} {...choice('ttlSeconds', 'Session lifetime')} />
          <Switch
            disabled={!can('webhooks:write') && !can('deliveries:write')}
            {...toggle('mayChange', 'Allow changes')}
          />
          <Switch
            disabled={!can('secrets:read')}
            {...toggle('withSecrets', 'Show signing secrets')}
          />
        </SimpleGrid>
        <Folded
          summary="transparent, in the font and the density of the console, without its header"
          isInvalid={Object.keys(form.errors).some((name) => !SHOWN.includes(name))}
        >
          <SimpleGrid {...GRID}>
            <ColorInput {...COLOR} {...field('theme.backgroundColor', 'Background', 'None')} />
            <ColorInput {...COLOR} {...field('theme.foregroundColor', 'Text color', CONSOLE)} />
            <NumberInput {...PIXELS} max={64} {...field('theme.padding', 'Padding', 'Default')} />
            <NumberInput {...PIXELS} max={16} {...field('theme.radius', 'Corner radius', '8 px')} />
            <Select data={DENSITIES} {...choice('theme.density', 'Density')} />
            <TextInput {...field('theme.fontFamily', 'Font', 'Figtree, sans-serif')} />
            <TextInput
              {...field('theme.fontUrl', 'Font file (WOFF2)', 'https://…/figtree.woff2')}
            />
            <TextInput {...field('theme.logoUrl', 'Logo', 'https://…/logo.svg')} />
            <Switch {...toggle('theme.showHeader', 'Header and menu in a frame')} />
          </SimpleGrid>
        </Folded>
        <Group justify="end">
          <Button type="submit">Update preview</Button>
        </Group>
      </Stack>
    </form>
  )
}

import {
  ColorInput,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Switch,
  TextInput,
} from '@mantine/core'
import { optionsOf } from '../components/filters/filter-params.ts'
import type { FieldErrors } from '../components/forms/field-errors.ts'
import type { PortalColorScheme, PortalDensity, PortalPage } from '../generated/graphql.ts'
import type { PortalOptions } from './portal-options.ts'

const MAX_RADIUS = 16
const MAX_PADDING = 64
const SWATCHES = ['#2a50b4', '#0b7a4b', '#7048e8', '#c2255c', '#e8590c', '#0c8599']

const SCHEMES = optionsOf<PortalColorScheme>({
  AUTO: 'The reader’s',
  LIGHT: 'Light',
  DARK: 'Dark',
})
const DENSITIES = optionsOf<PortalDensity>({ COMFORTABLE: 'Comfortable', COMPACT: 'Compact' })

const PAGES = optionsOf<PortalPage>({
  OVERVIEW: 'Overview',
  WEBHOOKS: 'Endpoints',
  EVENTS: 'Events',
  DELIVERIES: 'Deliveries',
  ATTEMPTS: 'Attempts',
  EVENT_TYPES: 'Event types',
})

/** The fields that the server can reject. */
export const THEME_FIELDS = [
  ...(['primaryColor', 'backgroundColor', 'foregroundColor', 'padding', 'radius'] as const),
  ...(['fontFamily', 'fontUrl', 'logoUrl'] as const),
] as const

type Field = (typeof THEME_FIELDS)[number]

interface ThemeFieldsProps {
  readonly options: PortalOptions
  readonly errors: FieldErrors<Field>
  change(changed: Partial<PortalOptions>): void
}

/** The appearance of the portal. An empty field has the console's value. */
export function ThemeFields({ options, errors, change }: ThemeFieldsProps) {
  const of = <Name extends Field>(name: Name) => ({
    value: options[name],
    error: errors[name],
    onChange: (value: PortalOptions[Name]) => change({ [name]: value }),
  })
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md" verticalSpacing="sm">
      <Color label="Primary color" placeholder="Of the console" {...of('primaryColor')} />
      <Color label="Background" placeholder="Transparent" {...of('backgroundColor')} />
      <Color label="Text color" placeholder="Of the console" {...of('foregroundColor')} />
      <Pixels label="Padding" placeholder="Default" max={MAX_PADDING} {...of('padding')} />
      <Pixels label="Corner radius" placeholder="8 px" max={MAX_RADIUS} {...of('radius')} />
      <Select
        label="Color scheme"
        data={SCHEMES}
        allowDeselect={false}
        value={options.colorScheme}
        onChange={(value) => change({ colorScheme: value as PortalColorScheme })}
      />
      <Select
        label="Density"
        data={DENSITIES}
        allowDeselect={false}
        value={options.density}
        onChange={(value) => change({ density: value as PortalDensity })}
      />
      <TextInput
        label="Font"
        placeholder="Figtree, sans-serif"
        value={options.fontFamily}
        error={errors.fontFamily}
        onChange={({ currentTarget }) => change({ fontFamily: currentTarget.value })}
      />
      <TextInput
        label="Font file (WOFF2)"
        placeholder="https://…/figtree.woff2"
        value={options.fontUrl}
        error={errors.fontUrl}
        onChange={({ currentTarget }) => change({ fontUrl: currentTarget.value })}
      />
      <TextInput
        label="Logo"
        placeholder="https://…/logo.svg"
        value={options.logoUrl}
        error={errors.logoUrl}
        onChange={({ currentTarget }) => change({ logoUrl: currentTarget.value })}
      />
      <MultiSelect
        label="Pages"
        data={PAGES}
        value={[...options.pages]}
        onChange={(pages) => pages.length > 0 && change({ pages: pages as PortalPage[] })}
      />
      <Switch
        label="Header and menu in a frame"
        mt={{ base: 0, xs: 28 }}
        checked={options.showHeader}
        onChange={({ currentTarget }) => change({ showHeader: currentTarget.checked })}
      />
    </SimpleGrid>
  )
}

interface ValueProps<Value> {
  readonly label: string
  readonly placeholder: string
  readonly value: Value
  readonly error: string | undefined
  onChange(value: Value): void
}

function Color(props: ValueProps<string>) {
  return <ColorInput format="hex" swatches={SWATCHES} withEyeDropper={false} {...props} />
}

function Pixels(props: ValueProps<number | string> & { readonly max: number }) {
  return <NumberInput suffix=" px" min={0} allowDecimal={false} {...props} />
}

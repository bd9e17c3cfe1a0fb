import { ColorInput, NumberInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { optionsOf } from '../components/filters/filter-params.ts'
import type { FieldErrors } from '../components/forms/field-errors.ts'
import type { PortalColorScheme, PortalDensity } from '../generated/graphql.ts'
import type { PortalOptions } from './portal-options.ts'

const MAX_RADIUS = 16
const SWATCHES = ['#2a50b4', '#0b7a4b', '#7048e8', '#c2255c', '#e8590c', '#0c8599']

const SCHEMES = optionsOf<PortalColorScheme>({
  AUTO: 'The reader’s',
  LIGHT: 'Light',
  DARK: 'Dark',
})
const DENSITIES = optionsOf<PortalDensity>({ COMFORTABLE: 'Comfortable', COMPACT: 'Compact' })

/** The fields that the server can reject. */
export const THEME_FIELDS = ['primaryColor', 'fontFamily', 'fontUrl', 'radius', 'logoUrl'] as const

interface ThemeFieldsProps {
  readonly options: PortalOptions
  readonly errors: FieldErrors<(typeof THEME_FIELDS)[number]>
  change(changed: Partial<PortalOptions>): void
}

/** The appearance of the portal. An empty field has the console's value. */
export function ThemeFields({ options, errors, change }: ThemeFieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md" verticalSpacing="sm">
      <ColorInput
        label="Primary color"
        placeholder="Of the console"
        format="hex"
        swatches={SWATCHES}
        withEyeDropper={false}
        value={options.primaryColor}
        error={errors.primaryColor}
        onChange={(primaryColor) => change({ primaryColor })}
      />
      <NumberInput
        label="Corner radius"
        placeholder="8 px"
        suffix=" px"
        min={0}
        max={MAX_RADIUS}
        allowDecimal={false}
        value={options.radius}
        error={errors.radius}
        onChange={(radius) => change({ radius })}
      />
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
      <Switch
        label="Header and menu in a frame"
        mt={{ base: 0, xs: 28 }}
        checked={options.showHeader}
        onChange={({ currentTarget }) => change({ showHeader: currentTarget.checked })}
      />
    </SimpleGrid>
  )
}

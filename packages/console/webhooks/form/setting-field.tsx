import { NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { Defaults, Setting } from './settings.ts'
import type { WebhookFormValues } from './webhook-form-values.ts'

interface SettingFieldProps {
  readonly name: string
  readonly setting: Setting
  readonly form: UseFormReturnType<WebhookFormValues>
  readonly defaults: Defaults
}

/** The field of a setting. */
export function SettingField({ name, setting, form, defaults }: SettingFieldProps) {
  const { label, description, field } = setting
  const { kind, ...own } = field
  const props = {
    label,
    description: typeof description === 'string' ? description : description(defaults),
    autoComplete: 'off',
    ...own,
    ...form.getInputProps(name, { type: kind === 'switch' ? 'checkbox' : 'input' }),
  }
  switch (kind) {
    case 'switch':
      return <Switch {...props} />
    case 'number':
      return <NumberInput {...props} min={1} allowDecimal={false} />
    case 'choice':
      return <Select {...props} value={props.value || null} placeholder="Default" clearable />
    case 'lines':
      return <Textarea {...props} autosize spellCheck={false} classNames={{ input: 'ph-mono' }} />
    case 'text':
      return <TextInput {...props} spellCheck={false} classNames={{ input: 'ph-mono' }} />
  }
}

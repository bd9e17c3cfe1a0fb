import { TextInput } from '@mantine/core'
import { t } from '../strings/t.ts'

interface NameFieldProps {
  readonly name: string
  readonly error: string | undefined
  onChange(name: string): void
}

export function NameField({ name, error, onChange }: NameFieldProps) {
  return (
    <TextInput
      label={t('organizations:nameField.label')}
      description={t('organizations:nameField.hint')}
      placeholder={t('organizations:nameField.placeholder')}
      required
      withAsterisk={false}
      maxLength={200}
      autoComplete="off"
      data-autofocus
      value={name}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  )
}

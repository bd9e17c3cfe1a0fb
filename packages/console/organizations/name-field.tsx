import { TextInput } from '@mantine/core'

interface NameFieldProps {
  readonly name: string
  readonly error: string | undefined
  onChange(name: string): void
}

export function NameField({ name, error, onChange }: NameFieldProps) {
  return (
    <TextInput
      label="Name"
      description="Up to 200 characters. You can rename the organization later."
      placeholder="Acme"
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

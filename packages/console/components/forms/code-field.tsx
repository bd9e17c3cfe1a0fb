import { Textarea, type TextareaProps } from '@mantine/core'

interface CodeFieldProps
  extends Pick<TextareaProps, 'label' | 'description' | 'placeholder' | 'error'> {
  readonly value: string
  onChange(value: string): void
}

/** A field for text that a program reads. Tab leaves the field, as in any other. */
export function CodeField({ onChange, ...props }: CodeFieldProps) {
  return (
    <Textarea
      {...props}
      autosize
      minRows={6}
      maxRows={24}
      spellCheck={false}
      autoComplete="off"
      classNames={{ input: 'ph-mono' }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

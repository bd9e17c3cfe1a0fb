import {
  SimpleGrid,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core'

interface OwnNameFieldsProps {
  /** What has the names, in the sentence about uids. */
  readonly description: string
  readonly uid: TextInputProps
  /** The text of the labels. */
  readonly metadata: TextareaProps
}

const CODE = { autoComplete: 'off', spellCheck: false, classNames: { input: 'ph-mono' } }

/** The names of the reader's own: the uid, and labels. */
export function OwnNameFields({ description, uid, metadata }: OwnNameFieldsProps) {
  return (
    <SimpleGrid type="container" cols={{ base: 1, '500px': 2 }}>
      <TextInput label="Uid" description={description} maxLength={255} {...CODE} {...uid} />
      <Textarea
        label="Labels"
        description="One per line, such as team=payments."
        autosize
        minRows={1}
        maxRows={12}
        {...CODE}
        {...metadata}
      />
    </SimpleGrid>
  )
}

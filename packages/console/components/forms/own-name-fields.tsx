import { SimpleGrid, Textarea, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'

interface Field {
  readonly value?: string
  readonly error?: ReactNode
  // biome-ignore lint/suspicious/noExplicitAny: an event, as the form of Mantine takes it
  onChange(event: any): void
}

interface OwnNameFieldsProps {
  /** What has the names, in the sentence about uids. */
  readonly description: string
  readonly uid: Field
  /** The text of the labels. */
  readonly metadata: Field
}

/** The names of the reader's own: the uid, and labels. */
export function OwnNameFields({ description, uid, metadata }: OwnNameFieldsProps) {
  return (
    <SimpleGrid type="container" cols={{ base: 1, '500px': 2 }}>
      <TextInput
        label="Uid"
        description={description}
        maxLength={255}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'ph-mono' }}
        {...uid}
      />
      <Textarea
        label="Labels"
        description="One per line, such as team=payments."
        autosize
        minRows={1}
        maxRows={12}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: 'ph-mono' }}
        {...metadata}
      />
    </SimpleGrid>
  )
}

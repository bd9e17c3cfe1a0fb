import { Text } from '@mantine/core'
import { BodyTrial } from './body-trial.tsx'
import { SelectionEditor } from './selection-editor.tsx'
import { TemplateEditor } from './template-editor.tsx'
import { type BodyForm, useBodyTrial } from './use-body-trial.ts'

interface BodyEditorProps {
  readonly form: BodyForm
  /** The text of the selection or of the template. */
  readonly value: string
  /** What the webhook subscribes to, and the event types that this includes today. */
  readonly subscriptions: readonly string[]
  readonly eventTypes: readonly string[]
  /** What the server said when the form was sent. */
  readonly error: string | null
  onChange(text: string): void
}

/** What a webhook sends instead of the whole event, with a trial on the newest events. */
export function BodyEditor(props: BodyEditorProps) {
  const { form, value, subscriptions, error } = props
  const { trial, ...run } = useBodyTrial({ form, text: value, subscriptions })
  const messages = trial?.issues.map(({ message }) => message) ?? []
  const said = messages.length > 0 ? messages.join(' ') : error
  const problem = said && withoutField(said)
  const Editor = form === 'selection' ? SelectionEditor : TemplateEditor
  if (subscriptions.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Choose event types first: the body is made of their fields.
      </Text>
    )
  }
  return (
    <div className="ph-body-editor">
      <Editor {...props} problem={problem} />
      <BodyTrial
        trial={trial}
        hasProblem={problem !== null}
        isEmpty={value.trim() === ''}
        {...run}
      />
    </div>
  )
}

/** The server names the field first, as `selection is invalid at line 2, column 5`. The editor has the field beside it. */
function withoutField(message: string): string {
  const rule = message.replaceAll(/(^|[.!] )(selection|template) (is invalid at )?/g, '$1')
  return `${rule[0]?.toUpperCase() ?? ''}${rule.slice(1)}`
}

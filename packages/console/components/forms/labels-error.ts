import { parseLabels } from '../../lib/labels.ts'

/** What is wrong with the text of labels, as far as the browser can tell. */
export function labelsError(text: string): string | false {
  return (
    parseLabels(text) === null && 'Write each label on a line of its own, such as team=payments.'
  )
}

import { messageOf, printTemplate } from './message.ts'
import type { Preset } from './preset.ts'

/**
 * A workflow of Microsoft Teams that posts what a webhook sends, with an Adaptive Card. Values of the event stand in
 * `TextRun`, in which Teams reads no Markdown.
 */
export const MICROSOFT_TEAMS: Preset = {
  target: 'microsoft_teams',
  name: 'Microsoft Teams',
  urlHint: 'https://….api.powerplatform.com/…/workflows/…/triggers/manual/paths/invoke?…',
  template: (source) => {
    const { title, summary, fields, link } = messageOf(source)
    return printTemplate({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            msteams: { width: 'Full' },
            body: [
              richText([{ text: title, weight: 'Bolder', size: 'Medium' }]),
              ...(summary === null ? [] : [richText([{ text: summary }])]),
              ...fields.map(({ label, value }) =>
                richText([{ text: `${label}: `, weight: 'Bolder' }, { text: value }]),
              ),
              ...(link
                ? [{ type: 'TextBlock', text: `[${link.label}](${link.url})`, wrap: true }]
                : []),
            ],
          },
        },
      ],
    })
  },
}

function richText(runs: readonly object[]) {
  return {
    type: 'RichTextBlock',
    inlines: runs.map((run) => ({ type: 'TextRun', ...run })),
  }
}

import { messageOf, printTemplate } from './message.ts'
import type { Preset } from './preset.ts'

/** A webhook of a space in Google Chat, with a card. */
export const GOOGLE_CHAT: Preset = {
  target: 'google_chat',
  name: 'Google Chat',
  urlHint: 'https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…',
  template: (source) => {
    const { title, summary, fields, link } = messageOf(source)
    return printTemplate({
      cardsV2: [
        {
          cardId: 'posthorn',
          card: {
            header: { title },
            sections: [
              {
                widgets: [
                  ...(summary === null ? [] : [{ textParagraph: { text: summary } }]),
                  ...fields.map(({ label, value }) => ({
                    decoratedText: { topLabel: label, text: value, wrapText: true },
                  })),
                  {
                    textParagraph: {
                      text: link ? `<a href="${link.url}">${link.label}</a>` : '{{ event.id }}',
                    },
                  },
                ],
              },
            ],
          },
        },
      ],
    })
  },
}

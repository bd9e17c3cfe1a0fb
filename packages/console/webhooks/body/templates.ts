import discord from './templates/discord.json'
import googleChat from './templates/google-chat.json'
import microsoftTeams from './templates/microsoft-teams.json'
import pagerduty from './templates/pagerduty.json'
import slack from './templates/slack.json'

/** Templates to start from. With the data of any event, a body keeps the published limits of its target. */
export const TEMPLATES = [
  { name: 'Slack', urlHint: 'https://hooks.slack.com/services/…', body: slack },
  {
    name: 'Microsoft Teams',
    urlHint: 'https://….api.powerplatform.com/…/workflows/…/triggers/manual/paths/invoke?…',
    body: microsoftTeams,
  },
  { name: 'Discord', urlHint: 'https://discord.com/api/webhooks/…', body: discord },
  {
    name: 'Google Chat',
    urlHint: 'https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…',
    body: googleChat,
  },
  { name: 'PagerDuty', urlHint: 'https://events.pagerduty.com/v2/enqueue', body: pagerduty },
].map(({ name, urlHint, body }) => ({ name, urlHint, template: JSON.stringify(body, null, 2) }))

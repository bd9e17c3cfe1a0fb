import discord from './templates/discord.json'
import googleChat from './templates/google-chat.json'
import microsoftTeams from './templates/microsoft-teams.json'
import pagerduty from './templates/pagerduty.json'
import slack from './templates/slack.json'

/** Templates to start from. With the data of any event, a body keeps the published limits of its target. */
export const TEMPLATES = [
  { name: 'Slack', body: slack },
  { name: 'Microsoft Teams', body: microsoftTeams },
  { name: 'Discord', body: discord },
  { name: 'Google Chat', body: googleChat },
  { name: 'PagerDuty', body: pagerduty },
].map(({ name, body }) => ({ name, template: JSON.stringify(body, null, 2) }))
